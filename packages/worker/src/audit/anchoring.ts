import type { AuditSeal } from "@bursar/core/audit/AuditSeal"
import { type AuditAnchor, AnchorFailed } from "@bursar/core/port/AuditAnchor"
import type { AuditBroken } from "@bursar/core/port/AuditSealer"
import { Cause, Effect, Fiber } from "effect"
import { countUnanchored } from "./metrics.ts"

/** How long the others wait for an anchor. */
const waitSeconds = 30

type Fails = AnchorFailed | AuditBroken

/**
 * An anchor for which nobody waits longer than that: a file on a mount whose server is gone never answers. What it was given stays with it, also where
 * whoever waited was interrupted, and it gets nothing more before that has ended: `late` is its answer to that, where nobody has heard it.
 */
const waitedFor = ({ name, put }: AuditAnchor) => {
  let given: Fiber.Fiber<void, Fails> | undefined
  const answerOf = (fiber: Fiber.Fiber<void, Fails>, problem: string) =>
    Fiber.await(fiber).pipe(
      Effect.timeoutOrElse({
        duration: waitSeconds * 1_000,
        orElse: () => Effect.fail(new AnchorFailed({ reason: `${name} ${problem}` }))
      }),
      Effect.tap(() => Effect.sync(() => void (given = undefined)))
    )
  const late = Effect.suspend(() =>
    given === undefined ? Effect.undefined : answerOf(given, "has not answered since an earlier anchoring")
  )
  const give = Effect.fnUntraced(function* (seal: AuditSeal) {
    given = yield* Effect.forkDetach(put(seal))
    return yield* yield* answerOf(given, `did not answer within ${waitSeconds} seconds`)
  })
  return { late, give }
}

/**
 * Puts seals down in an anchor, and gives what there contradicts them: what it said last, where it says nothing now, until it says otherwise. What it
 * answers late to an earlier term says nothing of now: others may have led between the two, and put later seals down.
 */
const anchoringIn = (anchor: AuditAnchor) => {
  const { give, late } = waitedFor(anchor)
  let contradicting: ReadonlyArray<string> = []
  const hear = (answer: Effect.Effect<void, Fails>) =>
    Effect.matchEffect(answer, {
      onSuccess: () => Effect.sync(() => void (contradicting = [])),
      onFailure: (error) =>
        error._tag === "AnchorFailed" ? Effect.fail(error) : Effect.sync(() => void (contradicting = error.findings))
    })
  const failed = (log: Effect.Effect<void>, reason: string) =>
    Effect.andThen(Effect.annotateLogs(log, { anchor: anchor.name, reason }), countUnanchored(anchor.name))
  return () => {
    let gaveInThisTerm = false
    const putDown = Effect.fnUntraced(function* (seal: AuditSeal) {
      const answer = yield* late
      // that it was late was told
      if (answer !== undefined && gaveInThisTerm) yield* Effect.exit(hear(answer))
      gaveInThisTerm = true
      yield* hear(give(seal))
    })
    return (seal: AuditSeal) =>
      putDown(seal).pipe(
        Effect.catchTag("AnchorFailed", ({ reason }) => failed(Effect.logError("audit.anchor_failed"), reason)),
        Effect.catchDefect((defect) =>
          failed(Effect.logError("audit.anchor_failed", Cause.die(defect)), "an internal error")
        ),
        Effect.map(() => contradicting)
      )
  }
}

/**
 * Puts seals down in anchors, all at once, so that what becomes of one of them ends the evidence in no other. Called at the begin of each term of the
 * leader. Gives what contradicts the seals in any of them; that one could not be written is told, and tried again with the next seal.
 */
export const anchoring = (
  anchors: ReadonlyArray<AuditAnchor>
): (() => (seal: AuditSeal) => Effect.Effect<ReadonlyArray<string>>) => {
  const all = anchors.map(anchoringIn)
  return () => {
    const puts = all.map((begin) => begin())
    return (seal) =>
      Effect.map(
        Effect.forEach(puts, (put) => put(seal), { concurrency: "unbounded" }),
        (findings) => findings.flat()
      )
  }
}
