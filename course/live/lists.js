// Two models that are one list each, as course_lib/models/word_vectors.py and course/lab/review_words.py have them.
function WordVectors({ words, tensors: { vectors: { shape: [count, dim], data } } }) {
  const index = new Map(words.map((word, row) => [word, row])),
    dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0),
    unit = (vector, size = Math.sqrt(dot(vector, vector)) || 1) => vector.map(value => value / size),
    rows = Array.from({ length: count }, (_, row) => unit(data.subarray(row * dim, (row + 1) * dim)));
  const row = word => index.get(word) ?? index.get(word.toLowerCase());

  function nearest(terms, k) { // [[sign, row], ...] -> the k words nearest to their sum, without them: [word, cosine]
    const wanted = unit(rows[0].map((_, i) => terms.reduce((sum, [sign, row]) => sum + sign * rows[row][i], 0))),
      cosines = rows.map(vector => dot(wanted, vector));
    for (const [, row] of terms) cosines[row] = -Infinity;
    return best(cosines, k).map(row => [words[row], cosines[row]]);
  }
  return { words, row, nearest };
}

function ReviewWords({ config: { labels, bias }, terms, tensors: { weights } }) {
  const votes = new Map(terms.map((term, i) => [term, weights.data[i]]));

  function read(text) { // -> {score: log odds of the second label, votes: [[term, weight], ...]}
    const plain = text.replace(/<br\s*\/?>/gi, " ").toLowerCase().replaceAll("’", "'"),
      words = plain.match(/[\p{L}\p{N}_]+(?:'[\p{L}\p{N}_]+)*|[!?]/gu) ?? [],
      pairs = words.slice(1).map((second, i) => `${words[i]} ${second}`),
      found = [...new Set([...words, ...pairs])].flatMap(term => votes.has(term) ? [[term, votes.get(term)]] : []);
    return { score: found.reduce((sum, [, weight]) => sum + weight, bias), votes: found };
  }
  return { labels, read };
}
