import { readAnchors, writeAnchor } from "@bursar/core/audit/anchorLines"
import type { AuditSeal } from "@bursar/core/audit/AuditSeal"
import { AuditBroken } from "@bursar/core/port/AuditSealer"
import { Effect } from "effect"
import { type FileHandle, open } from "node:fs/promises"
import { type AuditAnchor, AnchorFailed } from "@bursar/core/port/AuditAnchor"

/** More than the longest line has. */
const tailBytes = 8_192

const trying = <A>(path: string, use: () => Promise<A>) =>
  Effect.tryPromise({
    try: use,
    catch: (thrown) =>
      new AnchorFailed({ reason: `${path} cannot be written (${thrown instanceof Error ? thrown.message : "?"})` })
  })

const readTail = Effect.fnUntraced(function* (path: string, file: FileHandle) {
  const { size } = yield* trying(path, () => file.stat())
  const start = Math.max(0, size - tailBytes)
  const tail = Buffer.alloc(size - start)
  const { bytesRead } = yield* trying(path, () => file.read(tail, 0, tail.length, start))
  return tail.toString("utf8", 0, bytesRead)
})

/** Why the newest seal of the database cannot be put after the last one of the file; null where it can. */
const objection = (path: string, last: AuditSeal, seal: AuditSeal): string | null => {
  if (last.number > seal.number)
    return `Seals ${seal.number + 1} to ${last.number} were taken out: the anchor ${path} has them.`
  return last.number === seal.number && last.mac !== seal.mac
    ? `Seal ${seal.number} was replaced: the anchor ${path} has another.`
    : null
}

/** A file of seals, one a line, which is only ever added to: on a disk that the database's administrators cannot write. */
export const fileAnchor = (path: string): AuditAnchor => ({
  name: path,
  put: Effect.fn("fileAnchor.put")(function* (seal) {
    const file = yield* Effect.acquireRelease(
      trying(path, () => open(path, "a+", 0o600)),
      (handle) => Effect.promise(() => handle.close())
    )
    const tail = yield* readTail(path, file)
    const last = readAnchors(tail).seals.at(-1)
    const wrong = last === undefined ? null : objection(path, last, seal)
    if (wrong !== null) return yield* new AuditBroken({ findings: [wrong] })
    if (last?.number === seal.number) return
    // a crash may have left a line unfinished
    const lineBreak = tail === "" || tail.endsWith("\n") ? "" : "\n"
    yield* trying(path, () => file.appendFile(`${lineBreak}${writeAnchor(seal)}`))
    yield* trying(path, () => file.sync())
  }, Effect.scoped)
})
