/* Runs cells in the reader's browser: Pyodide and the package, in a worker, so that the page stays alive and a
   stop ends whatever runs. Loaded on the reader's first click. */
const say = (message) => self.postMessage(message);
let pyodide, cells, names;

async function start({ base, book, packages }) {
  say({ progress: "loading Python" });
  const { loadPyodide } = await import(`${base}pyodide.mjs`);
  pyodide = await loadPyodide({ indexURL: base, env: { MPLBACKEND: "agg" } });
  await pyodide.loadPackage(packages, { messageCallback: (text) => say({ progress: text }) });
  say({ progress: "loading userdp" });
  const archive = await (await fetch(`${book}userdp.zip`)).arrayBuffer();
  pyodide.unpackArchive(archive, "zip", { extractDir: "/home/pyodide" });
  pyodide.runPython("import sys; sys.path.insert(0, '/home/pyodide')");
  cells = pyodide.pyimport("cells");
  cells.stand_in();
  forget();
  say({ ready: true });
}

function forget() {
  names = pyodide.toPy({ __name__: "__main__" });
}

function run({ id, source }) {
  const outputs = cells.run(source, names);
  say({ id, outputs: outputs.toJs({ dict_converter: Object.fromEntries }) });
  outputs.destroy();
}

self.onmessage = async ({ data }) => {
  try {
    if (data.start) await start(data.start);
    else if (data.forget) forget();
    else if (data.file) pyodide.FS.writeFile(data.file, new Uint8Array(data.bytes));
    else run(data);
  } catch (error) {
    say({ failed: String(error), id: data.id });
  }
};
