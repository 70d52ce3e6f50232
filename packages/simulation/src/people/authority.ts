import type { KindAndValues } from "@bursar/core/grant/GrantDocument"
import { reviewValues } from "@bursar/core/grant/reviewByGrants"
import { parseKey } from "@bursar/core/access/KeyFormat"
import { makeSigner } from "@bursar/api/signature/signRequest"
import type { Operation } from "@bursar/core/operation/Operation"
import { Effect } from "effect"
import type { Stop } from "../world/Records.ts"
import type { World } from "../world/World.ts"
import { quorum, type Trust } from "../outside/Approvers.ts"
import { grantAtOnce, grantByProposal } from "./granting.ts"
import { type PartnerOfWorld, pairOf } from "./letIn.ts"

/** People whose word decides, at their work: they stop and let go on, rotate keys, leave and are replaced. */
export const makeAuthority = (world: World, trust: Trust) => {
  const { config, currencies, faults, kernel, note, records } = world
  const random = world.random.for("authority")
  const granting = { trust, currencies, random }

  const grant = (partner: PartnerOfWorld | null, content: KindAndValues) =>
    grantAtOnce(granting, partner?.id ?? null, content)

  /** Has something stopped, and let go on after a while. It is let go on whatever happens: else nothing would ever end. */
  const stopFor = Effect.fnUntraced(function* (
    partner: PartnerOfWorld | null,
    say: (stopped: boolean) => KindAndValues
  ) {
    if (!(yield* grant(partner, say(true)))) return
    const stop: Stop = { tenant: partner?.index ?? null, from: kernel.now(), until: null }
    records.stops.push(stop)
    note(`${partner === null ? config.network : `partner ${partner.index}`} is stopped by a grant`)
    yield* Effect.sleep(random.below(20_000))
    stop.until = kernel.now()
    while (!(yield* grant(partner, say(false)))) yield* Effect.sleep(1_000)
    note(`${partner === null ? config.network : `partner ${partner.index}`} goes on by a grant`)
  })

  const suspend = (partner: PartnerOfWorld) =>
    stopFor(partner, (suspended) => ({ kind: "suspension", values: { suspended, reason: "as the seed has it" } }))

  const switchOff = stopFor(null, (stopped) => ({
    kind: "network",
    values: { network: config.network, stopped, reason: "as the seed has it" }
  }))

  /** Somebody has a doubt, and stops a partner or all of them. */
  const stopOnDoubt = (partner: PartnerOfWorld) =>
    Effect.suspend(() => {
      if (!faults.strikes("approver.stops")) return Effect.void
      return random.chance(500) ? suspend(partner) : switchOff
    })

  /** Lets an operation leave that was held for people to look at. */
  const approve = (partner: PartnerOfWorld, operation: Operation) =>
    grantByProposal(granting, partner.id, { kind: "review", values: reviewValues(operation) })

  /** A partner is given a new key, and signs with it from then on; later the old one is revoked. */
  const rotateKey = Effect.fnUntraced(function* (partner: PartnerOfWorld) {
    if (!faults.strikes("operator.rotates_key")) return
    const pair = pairOf(random)
    const signer = yield* Effect.orDie(makeSigner(pair))
    const apiKeyId = parseKey(partner.apiKey)?.id ?? ""
    const [old, publicKey] = [{ signer: partner.signer, ...partner.key }, pair.x]
    const say = (keyid: string, key: string, state: "ACTIVE" | "REVOKED"): KindAndValues => ({
      kind: "signing_key",
      values: { api_key_id: apiKeyId, keyid, public_key: key, state }
    })
    if (!(yield* grant(partner, say(signer.keyid, publicKey, "ACTIVE")))) return
    note(`partner ${partner.index} has another key`)
    yield* Effect.sleep(5_000)
    Object.assign(partner, { signer, key: { keyid: signer.keyid, publicKey } })
    yield* Effect.sleep(random.below(15_000))
    if (!(yield* grant(partner, say(old.keyid, old.publicKey, "REVOKED")))) return
    records.revoked.push({ tenant: partner.index, ...old, at: kernel.now() })
    note(`the old key of partner ${partner.index} is revoked`)
  })

  /** Somebody leaves: one person is enough to take the keys away. Then all chains are confirmed anew, and somebody else comes. */
  const replaceApprover = Effect.fnUntraced(function* (partners: ReadonlyArray<PartnerOfWorld>) {
    if (!faults.strikes("approver.leaves")) return
    const [gone, ...left] = trust.people
    if (gone === undefined) return
    const named = (people: Trust["people"]): KindAndValues => ({
      kind: "approvers",
      values: { approvers: people.map(({ approver }) => approver), quorum, quorums: {} }
    })
    trust.people = left
    if (!(yield* grant(null, named(left)))) return void (trust.people = [gone, ...left])
    note(`${gone.approver.id} approves no more`)
    for (const partner of partners)
      while (!(yield* grant(partner, { kind: "adoption", values: {} }))) yield* Effect.sleep(1_000)
    const people = [...left, trust.newcomer()]
    if (yield* grant(null, named(people))) trust.people = people
    note(`all was confirmed, and ${people.length} approve`)
  })

  return { approve, stopOnDoubt, suspend, switchOff, rotateKey, replaceApprover }
}
