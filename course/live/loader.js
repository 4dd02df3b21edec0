// The scripts of a checkpoint (checkpoint_scripts.py) -> its bytes -> a model. Only what is asked for is loaded, once.
const arriving = {}; // name -> {about, bytes, here: the parts that have come}
const opened = {}; // name -> promise of the model
const BASE = new URL(".", document.currentScript?.src ?? location.href).href;
const live = {
  about: (name, about) => {
    arriving[name] = { about, bytes: new Uint8Array(about.bytes), here: new Set() };
  },
  part: (name, number, stamp, text) => {
    const { about, bytes, here } = arriving[name];
    if (stamp !== about.stamp) return; // of another version, from a cache
    fromBase64(text, bytes.subarray(number * about.part, (number + 1) * about.part));
    here.add(number);
  }
};
globalThis.course = { live };

const script = address => new Promise((resolve, reject) => {
  const node = document.createElement("script");
  node.src = address;
  node.onload = () => resolve(node.remove());
  node.onerror = () => reject(new Error(`${address.slice(BASE.length)} does not load.`), node.remove());
  document.head.append(node);
});
const twice = address => script(address).catch(() => script(address)); // a phone loses a packet

async function checkpoint(name, arrived) { // -> {about, bytes}; arrived(share of the bytes, all of them)
  await twice(`${BASE}models/${name}/about.js`);
  if (!arriving[name]) throw new Error(`models/${name}/about.js is damaged. Load the page again.`);
  const { about, bytes, here } = arriving[name];
  await Promise.all(Array.from({ length: about.parts }, async (_, number) => {
    await twice(`${BASE}models/${name}/${number}.js`);
    if (!here.has(number)) // a script that throws has "loaded", too
      throw new Error(`models/${name}/${number}.js is damaged or of another version. Load the page again.`);
    arrived(here.size / about.parts, about.bytes);
  }));
  delete arriving[name];
  return { about, bytes };
}

// The shipped model of this name, once per page. course.live.wasm = false: computed in plain JavaScript.
function load(name, arrived = () => {}) {
  return opened[name] ??= (async () => {
    const { about: { config, encodings, numbers, files }, bytes } = await checkpoint(name, arrived);
    const isBert = "vocab.txt" in files,
      { room, linear, kind } = engine(numbers + (isBert ? bertScratch : bilmScratch)(config), live.wasm),
      tensors = decode(bytes, encodings, room),
      model = isBert ? Bert({ config, tensors, pieces: piecesFromFiles(files), room, linear }) :
      BiLM({ config, tensors, characters: JSON.parse(files["characters.json"]), room, linear });
    return { name, kind, ...model };
  })().catch(error => {
    delete opened[name];
    throw error;
  });
}
