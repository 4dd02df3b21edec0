// In a worker: Python, and in it the course's `check`. Pyodide's text stands before this one (exercises.py).
let run;

async function start(files, language) {
  self.fetch = async address => new Response(files[`${address}`.split("/").at(-1)]); // nothing comes from elsewhere
  const pyodide = await loadPyodide({
    indexURL: "python:/",
    createPyodideModule: _createPyodideModule,
    env: { COURSE_LANGUAGE: language }
  });
  pyodide.unpackArchive(await files["course.zip"].arrayBuffer(), "zip"); // into the folder from which Python imports
  ({ run } = pyodide.pyimport("course.check.in_page"));
}

addEventListener("message", async ({ data: { files, language, cell } }) => {
  try {
    if (files) await start(files, language);
    postMessage(cell === undefined ? {} : JSON.parse(run(cell)));
  } catch (error) {
    postMessage({ error: `${error}` });
  }
});
