// kit.js stands before each widget's module. Text goes in as text nodes only: tokens are never markup.
const NS = "http://www.w3.org/2000/svg";
const KEYS = { "data-lm-suppress-shortcuts": "true" }; // on each focusable element: JupyterLab must not take its keys

const fill = (node, attributes, children) => {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === false || value == null) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter(c => c != null));
  return node;
};
const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const s = (tag, attributes, ...children) => fill(document.createElementNS(NS, tag), attributes, children);
const attrs = (node, attributes) => fill(node, attributes, []);
const played = label => ({ tabindex: 0, role: "application", ...KEYS, "aria-label": label }); // a picture, by keys
const box = (look, x, y, width, height, more) => s("rect", { class: look, x, y, width, height, ...more });
const rule = (look, x1, y1, x2, y2) => s("line", { class: look, x1, y1, x2, y2 });
const letters = (words, x, y, anchor = "start", look = null) =>
  s("text", { x, y, "text-anchor": anchor, class: look }, words);
const inBold = (words, place) => words.flatMap((word, i) => [i === place ? h("b", {}, word) : word, " "]);

// The reader's language, as course_lib/language.py: `texts` holds the Korean of each English sentence, nothing in
// English. {name} is its value, {name:은/는} the particle that fits the value.
let PERCENT = " %"; // Korean writes it without the space
const teller = model => {
  const texts = { __proto__: null, ...model.get("texts") }; // a label may be called "constructor"
  if (Object.keys(texts).length) PERCENT = "%";
  return (english, values = {}) =>
    (texts[english] ?? english.replace(/^[a-z]+\|/, "")).replace(
      /\{(\w+)(?::([^{}/]+)\/([^{}/]+))?\}/g,
      (all, name, closed, open) =>
      !(name in values) ? all : closed === undefined ? values[name] : particle(String(values[name]), closed, open)
    );
};
const particle = (value, closed, open) => {
  const word = value.replace(/[\s"'”’)\]}>.…]+$/, ""),
    end = word.at(-1) ?? "",
    ro = open === "로",
    last = (end.charCodeAt(0) - 0xac00) % 28;
  if (end >= "가" && end <= "힣") return last && !(ro && last === 8) ? closed : open;
  if (/\d/.test(end)) return "013678".includes(end) && !(ro && "178".includes(end)) ? closed : open;
  if (end === "%") return open;
  if (/(^|[^A-Za-z])[A-Z0-9-]*[A-Z]$/.test(word))
    return "LMNR".includes(end) && !(ro && "LR".includes(end)) ? closed : open;
  return ro ? `(${closed[0]})${open}` : `${closed}(${open})`;
};

// Numbers as the text says them, and the traits that a page changes.
const share = p =>
  (100 * p < .05 ? "< 0.1"
    : 100 * p >= 9.95 ? `${Math.floor(100 * p + .5)}` : (Math.floor(1000 * p + .5) / 10).toFixed(1)) + PERCENT;
const many = n => n.toLocaleString("en-US");
const softmaxOf = z => {
  const top = Math.max(...z),
    p = z.map(v => Math.exp(v - top)),
    sum = p.reduce((a, b) => a + b);
  return p.map(v => v / sum);
};
const setter = model => changes => {
  for (const [name, v] of Object.entries(changes)) model.set(name, v);
  model.save_changes();
};
// get: a trait; under: what `say` gives in each of some other states of the traits, for the room that they will need
const reader = model => {
  let trial = {};
  const under = (states, say) =>
    states.map(state => {
      trial = state;
      const said = say();
      trial = {};
      return said;
    });
  return { get: name => trial[name] ?? model.get(name), under };
};
const stateOf = (model, names) => Object.fromEntries(names.map(name => [name, model.get(name)]));

let ids = 0; // names of radio groups and word lists, unique on the page
const unique = () => `cw${++ids}-${Math.random().toString(36).slice(2, 8)}`;

const width = (text, size = 12) => // of a text in pixels, near enough for layout
  [...text].reduce(
    (w, c) => w + (c.codePointAt(0) > 0x1100 ? .96 : /[iljtfr.,'!|]/.test(c) ? .34 : /[mwMW]/.test(c) ? .86 : .58),
    0
  ) * size;
const cut = (text, pixels, size = 12) => {
  if (width(text, size) <= pixels) return text;
  let out = "";
  for (const c of text) {
    if (width(out + c + "…", size) > pixels) break;
    out += c;
  }
  return out + "…";
};

function slider({ label, min, max, value, show, oninput, ticks = [] }) {
  const out = h("output", {});
  const input = h("input", { type: "range", min, max, step: 1, value, ...KEYS, "aria-label": label });
  const paint = () => {
    out.textContent = show(+input.value);
    input.setAttribute("aria-valuetext", out.textContent);
    input.style.setProperty("--p", `${100 * (input.value - min) / (max - min || 1)}%`);
  };
  input.addEventListener("input", () => {
    paint();
    oninput(+input.value);
  });
  paint();
  const marks = ticks.length && h("span", { class: "ticks", "aria-hidden": "true" },
    ticks.map((text, i) => h("span", { style: `left:${100 * i / (ticks.length - 1 || 1)}%` }, String(text))));
  const node = h("div", { class: "ctl" }, h("span", { class: "lab" }, h("span", {}, label), out), input, marks || null);
  return {
    node,
    input,
    set: v => {
      input.value = v;
      paint();
    }
  };
}

// A slider for a trait: a whole number, one of `values`, or a number in steps of 1 / scale. `also`: changes with it.
function traitSlider(st, model, name, { values, scale = 1, also, min = 0, max = values?.length - 1, show, ...rest }) {
  const of = v => values ? values[v] : v / scale,
    place = () => values ? values.indexOf(model.get(name)) : Math.round(scale * model.get(name)),
    oninput = v => setter(model)({
      [name]: of(v),
      ...also
    });
  return st.shows(slider({ min, max, value: place(), show: v => (show ?? String)(of(v)), oninput, ...rest }), place);
}
const traitToggle = (st, model, name, label) =>
  st.shows(toggle({
      label,
      value: model.get(name),
      onchange: on => setter(model)({
        [name]: on
      })
    }),
    () => model.get(name));

function toggle({ label, value, onchange }) {
  const input = h("input", {
    type: "checkbox",
    role: "switch",
    checked: value,
    ...KEYS,
    onchange: () => onchange(input.checked)
  });
  return {
    node: h("label", { class: "switch" }, input, h("span", {}, label)),
    input,
    set: v => {
      input.checked = v;
    }
  };
}

const labelled = (label, ...nodes) => h("label", { class: "ctl" }, h("span", { class: "lab" }, label), nodes);
const textField = (attributes, tag = "input") =>
  h(tag, { class: "word", ...KEYS, autocomplete: "off", autocapitalize: "off", spellcheck: "false", ...attributes });

function wordBox({ label, words, value, onword }) { // a text field that knows the words; anything else is not taken
  const list = unique(),
    known = new Map(words.map((w, i) => [w, i]));
  const input = textField({ list, value: words[value] ?? "", "aria-label": label });
  const take = () => {
    const found = known.get(input.value.trim());
    input.classList.toggle("unknown", found === undefined && input.value !== "");
    if (found !== undefined) onword(found);
  };
  input.addEventListener("input", take);
  return {
    node: labelled(label, input, h("datalist", { id: list }, words.map(w => h("option", { value: w })))),
    input,
    set: i => {
      if (document.activeElement !== input) {
        input.value = words[i] ?? "";
        input.classList.remove("unknown");
      }
    }
  };
}

const button = (label, onclick) => h("button", { class: "plain", type: "button", ...KEYS, onclick }, label);
const onKeys = (node, moves, go) =>
  node.addEventListener("keydown", event => { // moves: the event -> {key: where to}
    const to = moves(event)[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  });
const onList = (list, go) =>
  onKeys(list, event => { // arrows from child to child
    const i = [...list.children].indexOf(event.target);
    return { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: list.children.length - 1 };
  }, to => {
    if (list.children[to]) go(list.children[to]);
  });
// Arrows go a row or a column on; more: other keys, and what they do.
const onArrows = (node, go, more = {}) =>
  onKeys(node, () => ({
    ...{ ArrowUp: () => go(-1, 0), ArrowDown: () => go(1, 0) },
    ...{ ArrowLeft: () => go(0, -1), ArrowRight: () => go(0, 1) },
    ...more
  }), does => does());

// A node keeps the height free that it takes when one of these has filled it: what a reader presses must not move.
const hold = (node, ...fills) => {
  node.style.minHeight = "";
  const heights = fills.map(put => {
    put();
    return node.offsetHeight;
  });
  node.style.minHeight = `${Math.max(...heights) + 1}px`;
};

// The frame of every widget: title, finding, and a place for the rest. `findings` gives long ones of other states.
// The finding is heard 600 ms after it stands still.
function stage(el, title) {
  const say = h("p", { class: "say" }),
    live = h("p", { class: "sr", "aria-live": "polite" });
  const root = h("section", { class: "cw", "aria-label": title }, h("h4", {}, title), say, live);
  el.append(root);
  const follow = [];
  let calm;
  return {
    root,
    shows(control, of) { // what the model says when `live` draws
      follow.push(() => control.set(of()));
      return control;
    },
    tell(text, heard = text) {
      say.textContent = text;
      clearTimeout(calm);
      calm = setTimeout(() => {
        live.textContent = heard;
      }, 600);
    },
    watch(draw, findings = () => []) {
      let last = 0,
        longest;
      const observer = new ResizeObserver(() => {
        const now = root.clientWidth - 32;
        if (now > 0 && now !== last) {
          last = now;
          root.classList.toggle("narrow", now < 560);
          draw(now);
          longest ??= findings().sort((a, b) => width(b) - width(a)).slice(0, 3);
          const said = say.textContent;
          hold(say, ...[...longest, said].map(text => () => {
            say.textContent = text;
          }));
        }
      });
      observer.observe(root);
      return () => {
        observer.disconnect();
        clearTimeout(calm);
      };
    },
    // draws now, and when a trait changes; gives the clean-up back
    live(model, names, draw, resized = () => {}, findings = undefined) {
      const heard = names.map(name => `change:${name}`).join(" "),
        leave = this.watch(resized, findings);
      const all = () => {
        follow.forEach(put => put());
        draw();
      };
      model.on(heard, all);
      all();
      return () => {
        leave();
        model.off(heard, all);
      };
    }
  };
}
