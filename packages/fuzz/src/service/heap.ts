import { Data, Effect } from "effect"

/** A process did not say what it holds. */
export class HeapUnknown extends Data.TaggedError("HeapUnknown")<{ readonly message: string }> {}

interface Answered {
  readonly id?: number
  readonly result?: { readonly usedSize?: number; readonly backingStorageSize?: number }
}

/** By these words a process that is started with `--inspect` says where its inspector listens. */
export const inspectorIn = (line: string): string | undefined => /^Debugger listening on (ws:\S+)$/u.exec(line)?.[1]

/**
 * What a process holds, in bytes: its heap, and the buffers that the heap knows of, after all garbage is collected. Asked by the inspector of
 * the process.
 */
export const openHeap = Effect.fn("fuzz.openHeap")(function* (url: string) {
  const socket = yield* Effect.acquireRelease(
    Effect.callback<WebSocket, HeapUnknown>((resume) => {
      const opening = new WebSocket(url)
      opening.addEventListener("open", () => resume(Effect.succeed(opening)))
      opening.addEventListener("error", () =>
        resume(new HeapUnknown({ message: "the inspector does not let anybody in" }))
      )
    }),
    (open) => Effect.sync(() => open.close())
  )
  let asked = 0
  const ask = (method: string): Effect.Effect<Answered["result"], HeapUnknown> =>
    Effect.callback((resume) => {
      const id = ++asked
      const leave = () => {
        socket.removeEventListener("message", hear)
        socket.removeEventListener("close", end)
      }
      const hear = ({ data }: MessageEvent) => {
        const answer: Answered = JSON.parse(String(data))
        if (answer.id !== id) return
        leave()
        resume(Effect.succeed(answer.result))
      }
      const end = () => {
        leave()
        resume(new HeapUnknown({ message: "the process is gone" }))
      }
      socket.addEventListener("message", hear)
      socket.addEventListener("close", end)
      socket.send(JSON.stringify({ id, method }))
      return Effect.sync(leave)
    })
  return Effect.gen(function* () {
    yield* ask("HeapProfiler.collectGarbage")
    const { backingStorageSize = 0, usedSize } = (yield* ask("Runtime.getHeapUsage")) ?? {}
    return usedSize === undefined
      ? yield* new HeapUnknown({ message: "the inspector does not tell the heap" })
      : usedSize + backingStorageSize
  })
})
