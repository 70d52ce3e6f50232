/**
 * The program that stands between us and a real node: it starts the command, tells its pid on descriptor 3, and stops
 * it when its own standard input ends. Our end of that pipe closes however we die, SIGKILL included, so nothing
 * outlives us.
 *
 * It is a string given to `node -e` so that it needs no file of its own, whether Bursar runs from source or from a
 * package.
 */
export const supervisorSource = `
const { spawn } = require("node:child_process")
const { writeSync } = require("node:fs")
const o = JSON.parse(process.argv[1])
const tell = (message) => { try { writeSync(3, JSON.stringify(message) + "\\n") } catch {} }
const child = spawn(o.command, o.args, {
  cwd: o.cwd, stdio: ["ignore", "inherit", "inherit"],
  ...(o.uid === undefined ? {} : { uid: o.uid, gid: o.gid })
})
child.on("error", (error) => { tell({ error: error.message, code: error.code }); process.exit(127) })
child.on("spawn", () => tell({ pid: child.pid }))
child.on("exit", (code, signal) => process.exit(code === null ? (signal === "SIGKILL" ? 137 : 143) : code))
let stopping = false
const stop = () => {
  if (stopping) return
  stopping = true
  child.kill(o.stopSignal)
  setTimeout(() => child.kill("SIGKILL"), o.graceMs)
}
for (const event of ["end", "close", "error"]) process.stdin.on(event, stop)
process.stdin.resume()
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, stop)
`
