// Exercises that the page checks itself (exercises.py): Python comes with the first press of a button and runs in a
// worker, which can be stopped. What was typed is kept (keep.js).
{
  const FILES = ["python.js", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json", "course.zip"],
    LIMIT = 6000, // ms for a cell, as long as course/check/limit.py gives a call
    BASE = document.currentScript.src,
    arrived = {};
  let files, python, starting, turn = Promise.resolve();
  globalThis.coursePython = (name, text) => {
    arrived[name] = text;
  };

  const load = name => new Promise((resolve, reject) => {
    const node = document.createElement("script");
    node.src = new URL(`${name}.js`, BASE);
    node.onload = () => resolve(node.remove());
    node.onerror = () => reject(new Error(name), node.remove());
    document.head.append(node);
  });

  async function unpacked(name) {
    await load(name);
    const zipped = await (await fetch(`data:;base64,${arrived[name]}`)).blob(),
      type = name === "python.js" ? "text/javascript" : "application/wasm";
    delete arrived[name];
    return new Response(zipped.stream().pipeThrough(new DecompressionStream("gzip")), {
      headers: { "Content-Type": type }
    }).blob();
  }

  const asked = (message, limit) => new Promise((resolve, reject) => { // what the worker answers, or "stopped"
    const worker = python,
      done = limit && setTimeout(() => {
        stop();
        resolve("stopped");
      }, limit);
    worker.onmessage = ({ data }) => {
      clearTimeout(done);
      if (!data.error) return resolve(data);
      stop();
      reject(new Error(data.error));
    };
    worker.onerror = ({ message: says }) => reject(new Error(says));
    worker.postMessage(message);
  });

  function stop() {
    python.terminate();
    starting = null;
  }

  const start = tell => starting ??= (async () => {
    tell("coming");
    files ??= Object.fromEntries(await Promise.all(FILES.map(async name => [name, await unpacked(name)])));
    tell("starts");
    const address = URL.createObjectURL(files["python.js"]);
    python = new Worker(address);
    await asked({ files, language: document.documentElement.lang });
    URL.revokeObjectURL(address);
  })().catch(error => {
    starting = null;
    throw error;
  });

  function begin(cell) {
    const { exercise } = cell.dataset,
      area = cell.querySelector("textarea"),
      output = cell.querySelector(".output"),
      says = cell.querySelector(".loads"),
      buttons = [...cell.querySelectorAll("button")],
      tell = (what, values = {}) => {
        says.textContent = filled(says.dataset[what] ?? "", values);
      },
      fit = () => {
        area.rows = area.value.split("\n").length + 1;
      },
      put = text => document.execCommand("insertText", false, text), // so that it can be undone
      remember = change => keep(all => {
        all.exercises = { ...all.exercises, [exercise]: { ...all.exercises?.[exercise], ...change } };
      });
    let level = 1;

    const run = source => {
      if (cell.ariaBusy === "true") return;
      cell.ariaBusy = "true";
      turn = turn.then(() => shown(source)); // one after the other, as in a kernel
    };
    async function shown(source) {
      try {
        await start(tell);
        tell("runs");
        const found = await asked({ cell: source }, LIMIT);
        output.innerHTML = found === "stopped" ? cell.querySelector("template").innerHTML : found.html;
        if (found.exercise === exercise && found.state === "right") remember({ right: true });
        tell(kept.exercises?.[exercise]?.right === true ? "right" : "kept");
      } catch (error) {
        tell("failed", { error: error.message });
      }
      cell.ariaBusy = "false";
    }

    const before = kept.exercises?.[exercise];
    if (typeof before?.source === "string") area.value = before.source;
    if (before?.right === true) {
      tell("right");
      output.replaceChildren(); // what is stored there says "not solved yet"
    }
    output.ariaLive = "polite";
    fit();
    area.addEventListener("input", () => {
      fit();
      remember({ source: area.value });
    });
    area.addEventListener("keydown", event => {
      if (event.key !== "Enter" || event.isComposing || event.altKey) return;
      event.preventDefault();
      if (event.ctrlKey || event.metaKey || event.shiftKey) return run(area.value); // as in a notebook
      const line = area.value.slice(0, area.selectionStart).split("\n").at(-1);
      put(`\n${line.match(/^ */)[0]}${/:\s*$/.test(line) ? "    " : ""}`);
    });
    const does = {
      check: () => run(area.value),
      hint: ({ target }) => {
        run(`hint("${exercise}", level=${level})`);
        level = Math.min(level + 1, 3);
        target.textContent = filled(target.dataset.says, { n: level });
      },
      solution: () => run(`solution("${exercise}")`),
      again: () => {
        area.focus();
        area.select();
        put(area.defaultValue);
      }
    };
    for (const button of buttons) button.addEventListener("click", does[button.name]);
  }
  for (const cell of document.querySelectorAll(".cell[data-exercise]")) begin(cell);
}
