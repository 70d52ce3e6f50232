import { spawn } from "node:child_process"
import { constants } from "node:os"

const signals = ["SIGINT", "SIGTERM", "SIGHUP"]

/** How often a command that npm started looks whether npm is still there. */
const parentCheckMs = 500

/** A terminal sends its Ctrl-C to the child as well as to us: passing it on would stop the child twice. */
const sentByTerminal = (signal) =>
  signal === "SIGINT" && (process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY)

/**
 * Runs a command in the foreground until it has ended, and answers with its exit code (128 and the
 * signal's number when a signal ended it). A signal sent to this process reaches the child once, however
 * often it is sent; this process then waits, so that nothing is left running behind it.
 */
export const run = (command, args, options) =>
  new Promise((resolve) => {
    const child = spawn(command, args, { stdio: "inherit", ...options })
    const forwarded = new Set()

    const forward = (signal) => {
      if (forwarded.has(signal) || sentByTerminal(signal)) return
      forwarded.add(signal)
      child.kill(signal)
    }
    for (const signal of signals) process.on(signal, forward)

    // The shell between npm and us may die of a signal without passing it on.
    const parent = process.ppid
    const watch = setInterval(() => {
      if (process.env.npm_lifecycle_event !== undefined && process.ppid !== parent) forward("SIGTERM")
    }, parentCheckMs)

    const end = (code) => {
      clearInterval(watch)
      for (const signal of signals) process.off(signal, forward)
      resolve(code)
    }
    child.once("error", (error) => {
      console.error(`Could not run ${command}: ${error.message}`)
      end(127)
    })
    child.once("exit", (code, signal) => end(code ?? 128 + constants.signals[signal]))
  })
