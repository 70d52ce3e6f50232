import { lastPosting, resumePoint } from "@bursar/books/resume"
import type { Format } from "@bursar/books/Format"
import { Clock, Effect, FileSystem, type PlatformError, Stdio, Stream } from "effect"

/** How much of the end of a file is looked at for its last whole posting: more than any posting is long. */
const tailBytes = 4 * 1024 * 1024

/** The name under which a file stands until it is whole. */
export const partOf = (file: string): string => `${file}.part`

/** The end of a file, a byte a character, so that places in the text are places in the file. */
const readTail = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const size = Number((yield* fs.stat(file)).size)
  const start = Math.max(0, size - tailBytes)
  const chunks = yield* Stream.runCollect(fs.stream(file, { offset: start }))
  return { start, text: Buffer.concat([...chunks]).toString("latin1") }
})

/**
 * Cuts what an export that was stopped has left back to its last whole posting, and says after which posting to go on; undefined
 * where nothing is left that could be gone on with, and then nothing stands there.
 */
export const cutBack = Effect.fn("exportFile.cutBack")(function* (file: string, format: Pick<Format, "posting">) {
  const fs = yield* FileSystem.FileSystem
  const part = partOf(file)
  if (!(yield* fs.exists(part))) return undefined
  const { start, text } = yield* readTail(part)
  const point = resumePoint(format, text)
  if (point === undefined) yield* fs.remove(part)
  else yield* fs.truncate(part, start + point.kept)
  return point?.after
})

/** Adds what comes to the end of a file, which has its own name only once all of it is there. A file that is made has the mode. */
export const writeFile = <E>(
  file: string,
  bytes: Stream.Stream<Uint8Array, E>,
  mode = 0o666
): Effect.Effect<void, E | PlatformError.PlatformError, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    yield* Stream.run(bytes, fs.sink(partOf(file), { flag: "a", mode }))
    yield* fs.rename(partOf(file), file)
  })

/** Prints what comes. Each part is taken before the next is read, so a slow reader slows the export down and does not fill the memory. */
export const writeOut = <E>(
  bytes: Stream.Stream<Uint8Array, E>
): Effect.Effect<void, E | PlatformError.PlatformError, Stdio.Stdio> =>
  Effect.flatMap(Stdio.Stdio, ({ stdout }) => Stream.run(bytes, stdout()))

/** How often progress is told. */
const tellEveryMs = 2_000

/** Tells on standard error how far a long export is. */
export const withProgress =
  (format: Format, through: number) =>
  <E>(bytes: Stream.Stream<Uint8Array, E>): Stream.Stream<Uint8Array, E> =>
    Stream.unwrap(
      Effect.map(Clock.currentTimeMillis, (started) => {
        let told = started
        let written = 0
        return Stream.tap(bytes, (chunk) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            written += chunk.length
            if (now - told < tellEveryMs) return
            told = now
            const posting = lastPosting(format, Buffer.from(chunk).toString("latin1"))
            const place = posting === undefined ? "" : `posting ${posting} of ${through}, `
            process.stderr.write(`${place}${Math.floor(written / 1_048_576)} MiB\n`)
          })
        )
      })
    )
