import { logStorageError, type StorageError } from "@bursar/core/engine/StorageError"
import { AuditBroken, AuditSealer } from "@bursar/core/port/AuditSealer"
import { AuditSeals } from "@bursar/core/port/AuditSeals"
import { Leadership } from "@bursar/core/port/Leadership"
import type { VaultError } from "@bursar/core/port/Vault"
import { type Duration, Effect, Layer, Schedule } from "effect"
import * as nodeEgress from "../egress/nodeEgress.ts"
import type { AuditAnchor } from "@bursar/core/port/AuditAnchor"
import { anchoring } from "./anchoring.ts"
import { fileAnchor } from "./fileAnchor.ts"
import { tellAudit } from "./metrics.ts"
import { webhookAnchor } from "./webhookAnchor.ts"

/** How the log of operators' actions is kept. */
export interface AuditKeeperOptions {
  /** How often the signer seals what was added. Default 10 seconds. */
  readonly sealEvery?: Duration.Input
  /** How often the whole log is verified, and its newest seal put down outside. Default an hour. */
  readonly anchorEvery?: Duration.Input
  /** A file that seals are added to. */
  readonly anchorFile?: string | null
  /** A URL that seals are posted to. */
  readonly anchorUrl?: string | null
  /** Other places that seals are put down in. */
  readonly anchors?: ReadonlyArray<AuditAnchor>
}

const sealEveryDefault = "10 seconds"
const anchorEveryDefault = "1 hour"

/** The alarm: whoever looks after the service is told once, and again when it is something else. */
const makeAlarm = () => {
  let told: string | undefined
  return {
    raise: ({ message }: AuditBroken) =>
      Effect.suspend(() => {
        if (told === message) return Effect.void
        told = message
        return Effect.andThen(
          Effect.annotateLogs(Effect.logError("audit.broken"), { reason: message }),
          tellAudit(true)
        )
      }),
    clear: Effect.suspend(() => {
      told = undefined
      return tellAudit(false)
    })
  }
}

const anchorsOf = Effect.fnUntraced(function* ({ anchorFile, anchors = [], anchorUrl }: AuditKeeperOptions) {
  const named: ReadonlyArray<AuditAnchor> = anchorFile == null ? anchors : [fileAnchor(anchorFile), ...anchors]
  return anchorUrl == null ? named : [...named, yield* webhookAnchor(anchorUrl)]
})

/** Keeps the log of operators' actions, by one process of the fleet: has it sealed, verifies it, and puts its newest seal down outside. */
const run = Effect.fn("AuditKeeper.run")(function* (options: AuditKeeperOptions) {
  const [leadership, sealer, seals] = [yield* Leadership, yield* AuditSealer, yield* AuditSeals]
  const beginTerm = anchoring(yield* anchorsOf(options))
  const alarm = makeAlarm()

  // where somebody has changed it, it cannot be read: the signer sees that by itself
  const newest = Effect.catchDefect(seals.last, () => Effect.undefined)

  const sealAll = Effect.gen(function* () {
    while (true) {
      const seal = yield* sealer.seal((yield* newest)?.number ?? 0)
      if (seal === null) return
      yield* seals.add(seal)
    }
  })

  const putDownBy = (putInto: ReturnType<typeof beginTerm>) =>
    Effect.gen(function* () {
      // not the newest that is stored: somebody may have put one in since, and what is put down stays
      const last = yield* sealer.verify
      if (last === null) return
      const findings = yield* putInto(last)
      if (findings.length > 0) return yield* new AuditBroken({ findings })
      yield* alarm.clear
    })

  const kept = (effect: Effect.Effect<void, AuditBroken | StorageError | VaultError>, every: Duration.Input) =>
    effect.pipe(
      Effect.catchTags({
        AuditBroken: alarm.raise,
        StorageError: logStorageError,
        VaultError: ({ message }) => Effect.annotateLogs(Effect.logWarning("audit.not_sealed"), { reason: message })
      }),
      Effect.repeat(Schedule.spaced(every)),
      Effect.asVoid
    )

  return yield* leadership.lead("audit", () =>
    Effect.all(
      [
        kept(sealAll, options.sealEvery ?? sealEveryDefault),
        // the first look waits for what was added while nobody sealed
        Effect.andThen(Effect.ignore(sealAll), kept(putDownBy(beginTerm()), options.anchorEvery ?? anchorEveryDefault))
      ],
      { concurrency: "unbounded", discard: true }
    )
  )
})

/** The keeper as a process of a scope. */
export const layer = (options: AuditKeeperOptions): Layer.Layer<never, never, AuditSealer | AuditSeals | Leadership> =>
  Layer.effectDiscard(Effect.forkScoped(run(options))).pipe(Layer.provide(nodeEgress.layer))
