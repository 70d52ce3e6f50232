import type { AuditSeal } from "@bursar/core/audit/AuditSeal"
import { type AuditAnchor, AnchorFailed } from "@bursar/core/port/AuditAnchor"
import type { AuditBroken } from "@bursar/core/port/AuditSealer"
import { Cause, Effect, Fiber } from "effect"
import { countUnanchored } from "./metrics.ts"

/** How long the others wait for an anchor. */
const waitSeconds = 30

/**
 * An anchor for which nobody waits longer than that: a file on a mount whose server is gone never answers. What it was given stays with it, and it gets
 * nothing more before that has ended.
 */
const waitedFor = ({ name, put }: AuditAnchor): AuditAnchor["put"] => {
  let given: Fiber.Fiber<void, AnchorFailed | AuditBroken> | undefined
  return Effect.fnUntraced(function* (seal: AuditSeal) {
    if (given !== undefined && given.pollUnsafe() === undefined)
      return yield* new AnchorFailed({ reason: `${name} has not answered since an earlier anchoring` })
    given = yield* Effect.forkDetach(put(seal))
    yield* Effect.timeoutOrElse(Fiber.join(given), {
      duration: waitSeconds * 1_000,
      orElse: () => Effect.fail(new AnchorFailed({ reason: `${name} did not answer within ${waitSeconds} seconds` }))
    })
  })
}

/**
 * Puts seals down in anchors, all at once, so that what becomes of one of them ends the evidence in no other. Gives what contradicts the seals in any of
 * them; that one could not be written is told, and tried again with the next seal.
 */
export const anchoring = (
  anchors: ReadonlyArray<AuditAnchor>
): ((seal: AuditSeal) => Effect.Effect<ReadonlyArray<string>>) => {
  const nothing: ReadonlyArray<string> = []
  const all = anchors.map((anchor) => {
    const put = waitedFor(anchor)
    const failed = (log: Effect.Effect<void>, reason: string) =>
      Effect.andThen(Effect.annotateLogs(log, { anchor: anchor.name, reason }), countUnanchored(anchor.name))
    return (seal: AuditSeal) =>
      Effect.as(put(seal), nothing).pipe(
        Effect.catchTags({
          AnchorFailed: ({ reason }) => Effect.as(failed(Effect.logError("audit.anchor_failed"), reason), nothing),
          AuditBroken: ({ findings }) => Effect.succeed(findings)
        }),
        Effect.catchDefect((defect) =>
          Effect.as(failed(Effect.logError("audit.anchor_failed", Cause.die(defect)), "an internal error"), nothing)
        )
      )
  })
  return (seal) =>
    Effect.map(
      Effect.forEach(all, (put) => put(seal), { concurrency: "unbounded" }),
      (findings) => findings.flat()
    )
}
