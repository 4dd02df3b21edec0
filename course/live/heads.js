// Heads on one body, as course/lab/heads_on_body.py and course_lib/models/heads.py have them: while a task reads, its
// own biases and gains lie in the body, whose matrices all tasks share.
const MOST_ANSWER = 30; // pieces

function Heads({ config: { heads }, tensors, body: { config: { d_model: d }, pieces, forward, tensors: shared } }) {
  // A text, or a pair, read for a task -> {sides: of each text its pieces, logits: of a place in the row}
  function read(task, ...texts) {
    const ids = [pieces.cls];
    const sides = texts.map(text => {
      const side = wordSpans(text).flatMap(([word, begin]) => pieces.split([word])[0].map(([id, start, end], part) =>
        ({ place: ids.push(id) - 1, word, first: part === 0, start: begin + start, end: begin + end })));
      ids.push(pieces.sep);
      return side;
    });
    const swap = () => Object.entries(tensors).forEach(([name, { data: mine }]) => {
      const there = name.startsWith(`${task}/`) && shared[name.replace(`${task}/encoder.`, "")]?.data;
      if (there)[...mine].forEach((x, i) => [mine[i], there[i]] = [there[i], x]);
    });
    let states;
    swap();
    try {
      states = forward(ids, [], sides[0].length + 2).hiddenStates.at(-1);
    } finally {
      swap(); // whatever happens, the body is everybody's again
    }
    const { shape: [rows], data } = tensors[`${task}/output.weight`], bias = tensors[`${task}/output.bias`].data;
    const logits = place => Array.from({ length: rows }, (_, row) =>
      states.subarray(place * d, place * d + d).reduce((sum, x, i) => sum + x * data[row * d + i], bias[row]));
    return { sides, logits };
  }

  function likely(task, logits) { // [[label, probability], ...], best first
    softmax(logits);
    return best(logits, logits.length).map(row => [heads[task].settings.labels[row], logits[row]]);
  }

  function tag(text) { // [[word, its best label, probability], ...]
    const { sides: [side], logits } = read("tokens", text);
    return side.filter(({ first }) => first).map(({ place, word }) => [word, ...likely("tokens", logits(place))[0]]);
  }

  function answer(question, passage) { // the best span: {score, start, end}, places in the passage
    const { sides: [, units], logits } = read("span", question, passage);
    const scores = units.map(({ place }) => logits(place));
    return units.flatMap(({ start }, i) => units.slice(i, i + MOST_ANSWER).map(({ end }, more) =>
      ({ score: scores[i][0] + scores[i + more][1], start, end }))).reduce((a, b) => b.score > a.score ? b : a);
  }
  return { classify: (task, ...texts) => likely(task, read(task, ...texts).logits(0)), tag, answer };
}
