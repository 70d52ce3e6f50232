import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { inspectorIn, openHeap } from "../src/service/heap.ts"

const mebibyte = 1024 * 1024

/** Holds a buffer and an array, and leaves garbage, until it is told to let go of them. */
const holding = `
  globalThis.held = [Buffer.alloc(${32 * mebibyte}), Array.from({ length: 1e6 }, (_, at) => ({ at }))]
  process.on("message", () => { globalThis.held = undefined; process.send("let go") })
`

const inspectorOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    if (child.stderr === null) throw new Error("its errors are not read")
    createInterface(child.stderr).on("line", (line) => {
      const url = inspectorIn(line)
      if (url !== undefined) resolve(url)
    })
  })

it.live("the heap of a process is what it holds, buffers included, and no garbage", () =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, ["--inspect=127.0.0.1:0", "-e", holding], {
          stdio: ["ignore", "ignore", "pipe", "ipc"]
        })
      ),
      (one) => Effect.sync(() => one.kill())
    )
    const heap = yield* openHeap(yield* Effect.promise(() => inspectorOf(child)))
    const before = yield* heap
    assert.isAbove(before, 48 * mebibyte)
    child.send("let go")
    yield* Effect.promise(() => once(child, "message"))
    assert.isBelow(yield* heap, before - 44 * mebibyte)
  })
)
