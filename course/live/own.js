// A network that the reader has kept, answers/kept/LANGUAGE/NAME.safetensors (course/kept.py), as a Bert whose
// pieces are whole words. The by-hand BERT of chapter 7 has the library's parts under other names. That of build 7.B
// has fewer: no biases, nothing learned in its layer norms, no layer below the output; its matrices are turned over.
const MOST_BYTES = 64e6; // 16 million numbers

function WholeWords(vocabulary) {
  const index = new Map(vocabulary.map((word, id) => [word, id])),
    [padding, unknown, cls, sep, mask] = SPECIALS.map(word => index.get(word));
  const split = words => words.map(word => [[index.get(visible(word)) ?? unknown, 0, word.length]]),
    tokens = ids => Array.from(ids, id => vocabulary[id]);
  return { split, tokens, vocabulary, index, padding, unknown, cls, sep, mask };
}

// [the name of a tensor in Bert, its shape, its name in the by-hand BERT, and in build 7.B's]
function keptTensors(v, places, layers, d, ff) {
  const pair = (name, shape, byHand, built) => [
    [`${name}.weight`, shape, `${byHand}.weight`, built],
    [`${name}.bias`, shape.slice(0, 1), `${byHand}.bias`]
  ];
  const part = (i, name, shape, byHand, built) =>
    pair(`stack.layers.${i}.${name}`, shape, `blocks.${i}.${byHand}`, built && `blocks.${i}.${built}`);
  const attention = i => ["query", "key", "value", "output"].flatMap(name =>
    part(i, `attention.${name}`, [d, d], `attention.${name}`, name));
  return [
    ["embedding.tokens.weight", [v, d], "tokens.weight", "pieces"],
    ["embedding.positions.weight", [places, d], "positions.weight", "places"],
    ["embedding.segments.weight", [2, d], "segments.weight", "kinds"],
    ["mlm.bias", [v], "bias", "bias"],
    ...pair("embedding.norm", [d], "norm"),
    ...pair("stack.norm", [d], "top_norm"),
    ...pair("mlm.dense", [d, d], "transform.0"),
    ...pair("mlm.norm", [d], "transform.2"),
    ...Array.from({ length: layers }, (_, i) => [
      ...attention(i),
      ...part(i, "attention_residual.norm", [d], "norm_1"),
      ...part(i, "feed_forward.inner", [ff, d], "feed_forward.0", "inner"),
      ...part(i, "feed_forward.outer", [d, ff], "feed_forward.2", "outer"),
      ...part(i, "feed_forward_residual.norm", [d], "norm_2")
    ]).flat()
  ];
}

function keptHeader(file, bytes) { // of a safetensors file
  try {
    const size = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true)),
      text = new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(8, 8 + size)),
      { __metadata__: about = {}, ...tensors } = JSON.parse(text);
    for (const { dtype, shape, data_offsets: [from, to] } of Object.values(tensors))
      if (dtype !== "F32" || to - from !== 4 * shape.reduce((a, b) => a * b, 1)) throw new Error(dtype);
    const words = about.words && JSON.parse(about.words).map(String),
      ends = Object.values(tensors).map(one => one.data_offsets[1]);
    return { about, words, tensors, end: 8 + size + Math.max(...ends) };
  }
  catch {
    const says = t("{file} is damaged, or no float32 safetensors file. Run the cell that keeps it again.", { file });
    throw new Error(says);
  }
}

// The Bert in the bytes of a kept file. Throws an Error that says what is wrong with it, and what to do.
function openKept(file, bytes) {
  const refuse = says => {
    throw new Error(says);
  };
  const { about, words, tensors: given, end } = keptHeader(file, bytes),
    built = "pieces" in given,
    name = row => row[built ? 3 : 2],
    shape = key => given[key]?.shape ?? [],
    [v, d] = shape(built ? "pieces" : "tokens.weight"),
    [places] = shape(built ? "places" : "positions.weight"),
    ff = built ? shape("blocks.0.inner")[1] : shape("blocks.0.feed_forward.0.weight")[0],
    layers = new Set(Object.keys(given).map(key => key.match(/^blocks\.(\d+)\./)?.[1]).filter(Boolean)).size,
    rows = keptTensors(v, places, layers, d, ff).filter(name),
    isTurned = ([own]) => built && own.startsWith("stack."),
    shapeOf = row => isTurned(row) ? [...row[1]].reverse() : row[1];
  const of = { file, n: bytes.length, all: end };
  if (bytes.length !== end)
    refuse(t("{file} has {n} bytes and should have {all}: it was cut short. Run the cell that keeps it again.", of));
  const strange = row => `${given[name(row)]?.shape}` !== `${shapeOf(row)}`;
  if (rows.length !== Object.keys(given).length || rows.some(strange))
    refuse(t("{file} is a network of another kind. This page opens the BERTs of chapter 7: own-bert, which build 7.B " +
      "makes, and bert, which the chapter trains.", { file }));
  if (!words)
    refuse(t("{file} was kept without its vocabulary, by an earlier version of the course. Keep it again: run " +
      "check(\"7.B\"), or in chapter 7 the cell with session.keep.", { file }));
  const pieces = WholeWords(words),
    heads = Number(about.n_heads),
    known = { file, n: words.length, rows: v, specials: SPECIALS.join(" ") };
  if ([words.length, pieces.index.size].some(n => n !== v) || SPECIALS.some(word => !pieces.index.has(word)))
    refuse(t("The vocabulary of {file} does not fit: {n} words for a table of {rows} rows; each stands there once, " +
      "{specials} among them. Keep it again with its words in the order of their ids.", known));
  if (bytes.length > MOST_BYTES || !heads || d % (4 * heads) || ff % 4)
    refuse(t("{file} is of a size that this page does not compute: at most {n} million numbers, and widths of a head " +
      "and of the inner layer that are multiples of four.", { file, n: MOST_BYTES / 4e6 }));
  const config = {
    d_model: d,
    n_heads: heads,
    n_layers: layers,
    d_ff: ff,
    max_units: places,
    vocab_size: v,
    layer_norm_eps: 1e-12,
    norm: about.pre_norm === "True" ? "pre" : "post"
  };
  const numbers = rows.reduce((sum, [, shape]) => sum + (shape.reduce((a, b) => a * b, 1) + 3 & ~3), 0),
    { room, linear, kind } = engine(numbers + bertScratch(config), live.wasm),
    decoded = decode(bytes, {}, room);
  for (const row of rows.filter(isTurned)) {
    const { data } = decoded[name(row)], [high, wide] = row[1];
    data.set(data.map((_, at) => data[at % wide * high + Math.floor(at / wide)]));
  }
  const tensors = Object.fromEntries(rows.map(row => [row[0], decoded[name(row)]]));
  return { name: file, kind, ...Bert({ config, tensors, pieces, room, linear }) };
}
