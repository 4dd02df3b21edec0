// Text -> words: the rules, and the regular expression, of course_lib/text/words.py.
// In Python's order; "white space" is what Python calls so. There is no flag for "upper case too": ſ is an s as well.
const SPACE = String.raw`\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`;
const W = String.raw`\p{L}\p{N}_`,
  EXTEND = String.raw`[\p{M}\u{1F3FB}-\u{1F3FF}\u{E0020}-\u{E007F}]`,
  INNER = String.raw`[${W}\p{M}\u00AD\u200C\u200D\u2060]`,
  LATIN = String.raw`[A-Za-z\u00C0-\u024F]`,
  LATIN_END = String.raw`[A-Za-z\u00C0-\u024F\u0300-\u036F]`,
  CLITIC = String.raw`['’](?:[sSſ]|[rR][eE]|[vV][eE]|[lL][lL]|[dD]|[mM])(?!${INNER})`,
  BRIDGE = String.raw`(?:(?<=\p{Nd})[.,](?=\p{Nd})|(?!${CLITIC})(?<=${LATIN_END})['’](?=${LATIN}))`;
const WORD = new RegExp([
  String.raw`${LATIN}\.(?:${LATIN}\.){1,5}(?!${INNER})`, // U.S.  e.g.
  String.raw`[${W}]${INNER}*(?:${BRIDGE}${INNER}+)*`, // word  1,000.5  O'Brien
  CLITIC, // 's  'll
  String.raw`[\u{1F1E6}-\u{1F1FF}]{2}${EXTEND}*`, // a flag is two letters
  String.raw`([\-.!?~=*#+])\1+(?!${EXTEND})`, // ...  --  !!
  String.raw`[^${W}${SPACE}](?:${EXTEND}|\u200D[^${W}${SPACE}])*`, // any other character, emoji too
].join("|"), "gu");

function wordSpans(text) { // [[word, start, end], ...] in UTF-16 units, where Python counts code points
  const spans = [];
  for (const match of text.matchAll(WORD)) {
    const word = match[0],
      start = match.index,
      end = start + word.length;
    if (word.length > 3 && ["n't", "n’t"].includes(word.slice(-3).toLowerCase()))
      spans.push([word.slice(0, -3), start, end - 3], [word.slice(-3), end - 3, end]);
    else spans.push([word, start, end]);
  }
  return spans;
}
const splitWords = text => wordSpans(text).map(([word]) => word);
