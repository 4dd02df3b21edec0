// Words -> pieces: BERT's cleaning and WordPiece, as course_lib/text/word_pieces.py has them of the tokenizers library.
const LONGEST = 100; // characters of a word; a longer one is unknown
const SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
const tester = test => sign => test.test(sign);
const isControl = tester(/^(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\uFFFD]$/u),
  isSpace = tester(/^[\t\n\r\p{Z}]$/u),
  isAccent = tester(/^\p{Mn}$/u),
  isPunctuation = tester(/^[!-/:-@[-`{-~\p{P}]$/u),
  isIdeograph = tester(new RegExp([
    String.raw`^[\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\u{20000}-\u{2A6DF}`,
    String.raw`\u{2A700}-\u{2B73F}\u{2B740}-\u{2B81F}\u{2B920}-\u{2CEAF}\u{2F800}-\u{2FA1F}]$`
  ].join(""), "u"));

function WordPieces(vocabulary, { lowercase = true, strip_accents = lowercase, chinese_characters = true } = {}) {
  const index = new Map(vocabulary.map((piece, id) => [piece, id])),
    [padding, unknown, cls, sep, mask] = SPECIALS.map(piece => index.get(piece));

  // A word cleaned, then cut at white space and around punctuation: lists of [sign, start, end].
  function clean(word) {
    const found = [];
    let open = false, // does the next sign go on the last list?
      start = 0;
    const add = (sign, end) => {
      if (isSpace(sign)) open = false;
      else if (open && !isPunctuation(sign)) found.at(-1).push([sign, start, end]);
      else {
        found.push([[sign, start, end]]);
        open = !isPunctuation(sign);
      }
    };
    for (const given of word) {
      const end = start + given.length,
        alone = chinese_characters && isIdeograph(given);
      if (alone) open = false;
      if (!isControl(given)) // control characters go before white space is looked for
        for (const plain of strip_accents ? given.normalize("NFD") : given)
          if (!(strip_accents && isAccent(plain))) // each sign by itself: Σ is σ at the end of a word too
            for (const sign of lowercase ? plain.toLowerCase() : plain) add(sign, end);
      if (alone) open = false;
      start = end;
    }
    return found;
  }

  function cut(signs) { // the longest pieces from the left: [id, start, end]
    const whole = [[unknown, signs[0][1], signs.at(-1)[2]]],
      found = [];
    if (signs.length > LONGEST) return whole;
    for (let start = 0, end; start < signs.length; start = end) {
      let id;
      for (end = signs.length; end > start && id === undefined; end--)
        id = index.get((start ? "##" : "") + signs.slice(start, end).map(([sign]) => sign).join(""));
      if (id === undefined) return whole;
      found.push([id, signs[start][1], signs[end++][2]]);
    }
    return found;
  }

  const split = words => words.map(word => { // for each word its pieces, at least one
    const found = clean(word).flatMap(cut);
    return found.length ? found : [[unknown, 0, word.length]];
  });
  const tokens = ids => Array.from(ids, id => vocabulary[id]);
  return { split, tokens, vocabulary, index, padding, unknown, cls, sep, mask };
}

function piecesFromFiles(files) { // vocab.txt and tokenizer_config.json, as WordPieces.from_files reads them
  const settings = JSON.parse(files["tokenizer_config.json"]);
  return WordPieces(files["vocab.txt"].split("\n").slice(0, -1), {
    lowercase: settings.do_lower_case ?? undefined,
    strip_accents: settings.strip_accents ?? undefined, // null: as lower case
    chinese_characters: settings.tokenize_chinese_chars ?? undefined
  });
}
