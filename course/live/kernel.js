// The page as the kernel of its widgets. Their frames are closed and hold no model, but ask as they ask Python: a frame
// says {courseAsk: its state}, the page {courseAnswer: {trait: value}} (frame.js of course/site).
const MOST_TOKENS = 40,
  SWITCH = "the shipped BERT"; // shipped_model() of course.lab.widget_inputs: the text says which
const ANSWERS = { // title of a widget -> its answer
  "What does it expect here?": fillMask
};

// fill_mask: as course_lib/widgets/gap_model.py reads a text and guesses.
function readSide(text, { name, pieces }) {
  const tokens = readText(text, pieces),
    strange = part => readText(part, pieces).some(({ id }) => id === pieces.unknown);
  if (!tokens.length) throw new Error("fill_mask: the text is empty. Type a sentence.");
  if (tokens.length > MOST_TOKENS)
    throw new Error(
      `fill_mask: ${name} cuts this text into ${tokens.length} tokens; at most ${MOST_TOKENS} fit. Shorten it.`);
  const gaps = tokens.flatMap((token, i) => token.typed ? [i] : []);
  return {
    tokens: tokens.map(({ piece }) => piece),
    masked: gaps.length ? gaps : [tokens.length >> 1],
    unknown: [...new Set(text.replaceAll(MASK, " ").split(/\s+/).filter(strange).join(""))].filter(strange)
  };
}

async function fillMask({ request, names, k, gap, answer }, open) {
  const { id, text, sides = names.map(() => ({ text })) } = request;
  const answered = async (side, m) => {
    const said = side.text ?? [...side.tokens, ...side.unknown ?? []].join(" "),
      model = await open(names[m] === SWITCH ? languageModel(said) : names[m]),
      { pieces, forward } = model,
      { tokens, masked, unknown = [] } = side.text === undefined ? side : readSide(side.text, model),
      isGap = (_, i) => masked.includes(i),
      row = tokens.map(token => ({ id: pieces.index.get(token) ?? pieces.unknown })),
      found = forward(rowOf(row, pieces, isGap), masked.map(i => i + 1)).probabilities;
    return { tokens, masked, unknown, guesses: found.map(p => best(p, k).map(id => [pieces.vocabulary[id], p[id]])) };
  };
  try {
    const found = await Promise.all(sides.map(answered));
    return { gap: text === undefined ? gap : found.map(() => 0), answer: { id, error: "", sides: found } };
  } catch (error) {
    return { answer: { id, error: error.message, sides: answer.sides } };
  }
}

const latest = new Map(); // frame -> what it asked last: an older question is not answered any more
addEventListener("message", async ({ data, source }) => {
  const frame = [...document.querySelectorAll(".widget iframe")].find(one => one.contentWindow === source),
    answer = ANSWERS[frame?.title],
    asked = data?.courseAsk;
  if (!answer || !asked) return;
  latest.set(frame, asked);
  const says = frame.parentNode.querySelector(".loads") ?? document.createElement("p");
  Object.assign(says, { className: "loads", role: "status" });
  frame.after(says);
  const open = async name => {
    try {
      return await load(name, (part, bytes) => {
        const percent = Math.round(100 * part);
        says.textContent = `${name} is on its way: ${percent} % of ${(bytes / 1e6).toFixed(1)} MB, once.`;
      });
    } finally {
      says.textContent = "";
    }
  };
  const answered = await answer(asked, open);
  if (latest.get(frame) === asked) source.postMessage({ courseAnswer: answered }, "*");
});
