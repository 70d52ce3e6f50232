import { Refusal } from "@bursar/core/base/Refusal"
import { Destination } from "@bursar/core/destination/Destination"
import { putRecord, readRecord } from "@bursar/core/engine/Records"
import { Writer } from "@bursar/core/engine/Writer"
import { Grant } from "@bursar/core/grant/Grant"
import { draftGrant } from "@bursar/core/grant/grantCommands"
import { type KindAndValues, grantText } from "@bursar/core/grant/GrantDocument"
import { grantHash } from "@bursar/core/grant/grantHash"
import { Grants } from "@bursar/core/grant/Grants"
import { Effect, Result } from "effect"
import type { World } from "../../world/World.ts"
import { type makeDestining, hourMs } from "../destining.ts"
import { grantAtOnce, type Granting } from "../granting.ts"
import type { PartnerOfWorld } from "../letIn.ts"

/** How many days before now a thief says that people have granted something. */
const daysBack = 3

/** What a thief works with, who has the keys of people and the database. */
interface Stolen {
  readonly granting: Granting
  readonly destining: ReturnType<typeof makeDestining>
}

/**
 * A thief with the keys of enough people writes into the database that they have granted another destination days ago, and now and then that they
 * have ended its waiting time before. After a while somebody takes the destination out again.
 */
export const backdating = (world: World, { destining, granting }: Stolen) => {
  const { faults, kernel, note } = world
  const { random, trust } = granting

  /** Writes a grant as if it had been proposed days ago, with the row of its destination. */
  const write = Effect.fnUntraced(
    function* ({ id }: PartnerOfWorld, content: KindAndValues, proposedAt: number) {
      const known = yield* (yield* Grants).stateOf(id)
      const moments = { now: proposedAt, expiresAt: kernel.now() + hourMs }
      const text = grantText(draftGrant(known, { content, note: "As agreed.", by: "olga", ...moments }))
      const hash = yield* grantHash(text)
      const grant: Grant = {
        number: known.tenant.head.number + 1,
        hash,
        document: text,
        approvals: trust.people.slice(0, 2).map(({ approve }) => approve(hash)),
        recordedAt: proposedAt,
        proposalId: null
      }
      const writer = yield* Writer
      yield* writer.submit(id, {
        name: "Write",
        reads: [readRecord(Grant, grant.number)],
        decide: (view) => {
          // who breaks the chain has everything stopped, and gets nothing
          if (view.get(Grant, grant.number) !== undefined)
            return Result.fail(new Refusal({ code: "stale", message: "The chain of grants went on." }))
          if (content.kind !== "destination") return Result.succeed({ changes: [putRecord(Grant, grant)], reply: null })
          const { state: _, usable_from: usableFrom, ...named } = content.values
          const row: Destination = {
            ...named,
            proposedBy: "olga",
            verifiedBy: `grant:${grant.number}`,
            // after all that was verified
            verifiedAt: view.now + 1_000,
            usableFrom: Date.parse(usableFrom),
            rejectedAt: null,
            rejectedReason: null,
            createdAt: view.now
          }
          return Result.succeed({ changes: [putRecord(Grant, grant), putRecord(Destination, row)], reply: null })
        }
      })
      return true
    },
    Effect.orElseSucceed(() => false)
  )

  return Effect.fnUntraced(function* (partner: PartnerOfWorld, currency: string) {
    if (!faults.strikes("thief.backdates")) return
    const { destination, hoursOf, recordAddress, recorded, recordWait, waiting } = destining
    const proposedAt = kernel.now() - daysBack * 24 * hourMs
    if (hoursOf(partner) > 0 && random.chance(300)) {
      const atOnce = write(partner, yield* waiting(partner, 0), proposedAt)
      if (yield* recorded(atOnce, recordWait(partner, 0)))
        note(`a thief writes that destinations of partner ${partner.index} do not cool`)
    }
    // right before now: so it takes the place of the one that receives
    const stolen = destination(currency, kernel.now() - 1)
    if (!(yield* recorded(write(partner, stolen, proposedAt), recordAddress(partner, stolen)))) return
    note(`a thief writes a destination of partner ${partner.index}`)
    const revoked = { ...stolen, values: { ...stolen.values, state: "REVOKED" as const } }
    yield* grantAtOnce(granting, partner.id, revoked).pipe(
      Effect.delay(5_000 + random.below(40_000)),
      Effect.andThen((holds) => Effect.sync(() => note(`the thief's destination is revoked: ${holds}`))),
      Effect.forkChild
    )
  })
}
