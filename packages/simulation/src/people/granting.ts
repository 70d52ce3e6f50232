import { Writer } from "@bursar/core/engine/Writer"
import {
  chainTenant,
  appendGrant,
  approveGrant,
  draftGrant,
  type KnownChain,
  neededFor,
  proposeGrant,
  rejectGrant
} from "@bursar/core/grant/grantCommands"
import { type KindAndValues, grantText } from "@bursar/core/grant/GrantDocument"
import { grantHash } from "@bursar/core/grant/grantHash"
import { Grants } from "@bursar/core/grant/Grants"
import { grantEffect } from "@bursar/core/granting/grantEffect"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect, Result } from "effect"
import type { Random } from "../kernel/Random.ts"
import type { Person, Trust } from "../outside/Approvers.ts"

const dayMs = 86_400_000

/** How often people try again when the chain went on meanwhile. */
const triesMax = 5

/** Who grants, and with what. */
export interface Granting {
  readonly trust: Trust
  readonly currencies: CurrencyTable
  readonly random: Random
}

const chainOf = Effect.fnUntraced(function* (chain: TenantId | null): Effect.fn.Return<KnownChain, unknown, Grants> {
  const grants = yield* Grants
  return chain === null ? { fleet: yield* grants.fleet } : yield* grants.stateOf(chain)
})

const drafted = Effect.fnUntraced(function* (known: KnownChain, content: KindAndValues, lastsMs = dayMs) {
  const now = yield* Clock.currentTimeMillis
  const document = draftGrant(known, { content, note: "As agreed.", by: "olga", now, expiresAt: now + lastsMs })
  const needed = yield* Effect.fromResult(neededFor(known, document))
  return { hashed: { document, hash: yield* grantHash(grantText(document)) }, needed }
})

const wordOf = ({ approve, approver }: Person, hash: string) => ({ person: approver.id, approval: approve(hash) })

/** People, as many as it takes and not always the same. */
const some = ({ random, trust: { people } }: Granting, count: number): ReadonlyArray<Person> => {
  const first = random.below(people.length)
  return [...people.slice(first), ...people.slice(0, first)].slice(0, count)
}

const meansOf = ({ currencies }: Granting) => ({ currencies, sealKey: () => "" })

/** People meet, approve something and append it at once. True where it holds now. */
export const grantAtOnce = Effect.fnUntraced(
  function* (granting: Granting, chain: TenantId | null, content: KindAndValues) {
    const writer = yield* Writer
    for (let tries = 0; tries < triesMax; tries++) {
      const known = yield* chainOf(chain)
      const { hashed, needed } = yield* drafted(known, content)
      const verified = some(granting, needed.needed).map((person) => wordOf(person, hashed.hash))
      const effect = grantEffect(hashed.document, needed, meansOf(granting))
      const done = yield* Effect.result(
        writer.submit(chainTenant(known), appendGrant(known, { hashed, verified, effect }))
      )
      if (Result.isSuccess(done)) return true
    }
    return false
  },
  Effect.orElseSucceed(() => false)
)

/** Somebody proposes something, and others approve it one after the other, each after a while. True where it holds now. */
export const grantByProposal = Effect.fnUntraced(
  function* (granting: Granting, chain: TenantId, content: KindAndValues) {
    const writer = yield* Writer
    const begun = yield* chainOf(chain)
    const { random } = granting
    // some are in a hurry, and others are too late for it
    const { hashed, needed } = yield* drafted(begun, content, random.chance(150) ? 1 + random.below(3_000) : dayMs)
    const effect = grantEffect(hashed.document, needed, meansOf(granting))
    const { id: proposalId } = yield* writer.submit(chain, proposeGrant(begun, hashed, effect))
    const verified: Array<ReturnType<typeof wordOf>> = []
    // what others have got ahead of is proposed anew by whoever still wants it
    const withdrawn = Effect.ignore(
      writer.submit(chain, rejectGrant(proposalId, { by: "olga", reason: "It is out of date." }))
    )
    for (const person of some(granting, needed.needed)) {
      yield* Effect.sleep(random.below(2_000))
      const known = yield* chainOf(chain)
      const approval = wordOf(person, hashed.hash)
      const by = person.approver.id
      const approving = approveGrant(known, { proposalId, hashed, verified: [...verified], approval, by, effect })
      yield* Effect.tapError(writer.submit(chain, approving), () => withdrawn)
      verified.push(approval)
    }
    return true
  },
  Effect.orElseSucceed(() => false)
)
