import type { AuditSeal } from "@bursar/core/audit/AuditSeal"
import { type AuditAnchor, AnchorFailed } from "@bursar/core/port/AuditAnchor"
import type { AuditBroken } from "@bursar/core/port/AuditSealer"
import { Cause, Effect, Fiber } from "effect"
import { countUnanchored } from "./metrics.ts"

/** How long the others wait for an anchor. */
const waitSeconds = 30

type Answer = Effect.Effect<void, AnchorFailed | AuditBroken>

/**
 * An anchor for which nobody waits longer than that: a file on a mount whose server is gone never answers. What it was given stays with it, and it gets
 * nothing more before that has ended. What it has answered to nobody by then is its `late` answer.
 */
const waitedFor = ({ name, put }: AuditAnchor) => {
  let given: Fiber.Fiber<void, AnchorFailed | AuditBroken> | undefined
  const late: Answer = Effect.suspend(() => {
    const ended = given?.pollUnsafe()
    if (ended === undefined) return Effect.fail(new AnchorFailed({ reason: `${name} has given no late answer` }))
    given = undefined
    return ended
  })
  const putNext = Effect.fnUntraced(function* (seal: AuditSeal): Effect.fn.Return<void, AnchorFailed | AuditBroken> {
    if (given !== undefined)
      return yield* new AnchorFailed({ reason: `${name} has not answered since an earlier anchoring` })
    given = yield* Effect.forkDetach(put(seal))
    const ended = yield* Effect.timeoutOrElse(Fiber.await(given), {
      duration: waitSeconds * 1_000,
      orElse: () => Effect.fail(new AnchorFailed({ reason: `${name} did not answer within ${waitSeconds} seconds` }))
    })
    given = undefined
    yield* ended
  })
  return { late, putNext }
}

/** Puts seals down in an anchor, and gives what there contradicts them: what it said last, where it says nothing now, until it says otherwise. */
const anchoringIn = (anchor: AuditAnchor) => {
  const { late, putNext } = waitedFor(anchor)
  let contradicting: ReadonlyArray<string> = []
  const hear = (answer: Answer) =>
    Effect.matchEffect(answer, {
      onSuccess: () => Effect.sync(() => void (contradicting = [])),
      onFailure: (error) =>
        error._tag === "AnchorFailed" ? Effect.fail(error) : Effect.sync(() => void (contradicting = error.findings))
    })
  const failed = (log: Effect.Effect<void>, reason: string) =>
    Effect.andThen(Effect.annotateLogs(log, { anchor: anchor.name, reason }), countUnanchored(anchor.name))
  return (seal: AuditSeal) =>
    // that it was late was told
    Effect.andThen(Effect.exit(hear(late)), hear(putNext(seal))).pipe(
      Effect.catchTag("AnchorFailed", ({ reason }) => failed(Effect.logError("audit.anchor_failed"), reason)),
      Effect.catchDefect((defect) =>
        failed(Effect.logError("audit.anchor_failed", Cause.die(defect)), "an internal error")
      ),
      Effect.map(() => contradicting)
    )
}

/**
 * Puts seals down in anchors, all at once, so that what becomes of one of them ends the evidence in no other. Gives what contradicts the seals in any of
 * them; that one could not be written is told, and tried again with the next seal.
 */
export const anchoring = (
  anchors: ReadonlyArray<AuditAnchor>
): ((seal: AuditSeal) => Effect.Effect<ReadonlyArray<string>>) => {
  const all = anchors.map(anchoringIn)
  return (seal) =>
    Effect.map(
      Effect.forEach(all, (put) => put(seal), { concurrency: "unbounded" }),
      (findings) => findings.flat()
    )
}
