// Text -> words: the rules, and the regular expression, of course_lib/text/words.py.
// In Python's order; "white space" is what Python calls so. There is no flag for "upper case too": ſ is an s as well.
// What is not seen is left out before words are cut, and stays inside those words that it stands in.
const SPACE = String.raw`\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`;
const W = String.raw`\p{L}\p{N}_`,
  PICTURE = String.raw`\u2190-\u2BFF\u{1F000}-\u{1FBFF}`,
  TAG = String.raw`[\u{E0020}-\u{E007F}]`,
  EXTEND = String.raw`[\p{M}\u{1F3FB}-\u{1F3FF}\u{E0020}-\u{E007F}]`,
  INNER = String.raw`[${W}\p{M}]`,
  LATIN = String.raw`[A-Za-z\u00C0-\u024F]`,
  LATIN_END = String.raw`[A-Za-z\u00C0-\u024F\u0300-\u036F]`,
  CLITIC = String.raw`['’](?:[sSſ]|[rR][eE]|[vV][eE]|[lL][lL]|[dD]|[mM])(?!${INNER})`,
  BRIDGE = String.raw`(?:(?<=\p{Nd})[.,](?=\p{Nd})|(?!${CLITIC})(?<=${LATIN_END})['’](?=${LATIN}))`;
const UNSEEN = new RegExp([ // group 1: what counts as seen
  String.raw`(\u{1F3F4}${TAG}+|(?<=[${PICTURE}\uFE0F\u20E3])\u200D(?=[${PICTURE}]))`,
  String.raw`(?![${SPACE}])[\p{Cf}\p{Cc}]`
].join("|"), "gu");
const WORD = new RegExp([
  String.raw`${LATIN}\.(?:${LATIN}\.){1,5}(?!${INNER})`, // U.S.  e.g.
  String.raw`[${W}]${INNER}*(?:${BRIDGE}${INNER}+)*`, // word  1,000.5  O'Brien
  CLITIC, // 's  'll
  String.raw`[\u{1F1E6}-\u{1F1FF}]{2}${EXTEND}*`, // a flag is two letters
  String.raw`([\-.!?~=*#+])\1+(?!${EXTEND})`, // ...  --  !!
  String.raw`[^${W}${SPACE}](?:${EXTEND}|\u200D[^${W}${SPACE}])*`, // any other character, emoji too
].join("|"), "gu");

const visible = text => text.replace(UNSEEN, "$1");

function wordSpans(text) { // [[word, start, end], ...] in UTF-16 units, where Python counts code points
  const seen = visible(text),
    places = [], // of the units of `seen` in `text`
    cuts = [];
  const keep = (from, to) => {
    while (from < to) places.push(from++);
  };
  let at = 0;
  for (const { 0: unseen, 1: kept, index } of text.matchAll(UNSEEN)) {
    keep(at, kept ? index + unseen.length : index);
    at = index + unseen.length;
  }
  keep(at, text.length);
  for (const { 0: word, index: start } of seen.matchAll(WORD)) {
    const end = start + word.length;
    if (word.length > 3 && ["n't", "n’t"].includes(word.slice(-3).toLowerCase()))
      cuts.push([start, end - 3], [end - 3, end]);
    else cuts.push([start, end]);
  }
  return cuts.map(([a, b]) => [places[a], places[b - 1] + 1]).map(([a, b]) => [text.slice(a, b), a, b]);
}
const splitWords = text => wordSpans(text).map(([word]) => word);
