import type { SigningRequest, SignTransaction } from "@bursar/core/port/TransactionSigner"
import { Effect } from "effect"
import type { Signing } from "../process/SignerDesk.ts"
import { hashOf, readSigned, readUnsigned, writeUnsignedOf } from "../outside/accounts/bytes.ts"
import type { Stop } from "../world/Records.ts"
import type { World } from "../world/World.ts"
import { forgedRequest } from "./forgedRequest.ts"
import type { PartnerOfWorld } from "./letIn.ts"

type Unsigned = ReturnType<typeof readUnsigned>

/** What the signer is asked for. */
type Wish = readonly [SignTransaction, Unsigned]

/** A number that no transaction of the service comes to. */
const farAway = 1_000_000n

/**
 * Somebody who reads all that goes to the signer, may ask it for anything, and has every key that partners ever signed with. It tries to be
 * paid: with requests that were paid, for another receiver or amount, by saying that its own address is the tenant's, with requests of a key that
 * was revoked, and while everything is stopped. What it is given it gives to the network.
 */
export const thief = (world: World, partners: ReadonlyArray<PartnerOfWorld>) => {
  const { accounts, desk, faults, note, records } = world
  // it writes transactions of accounts alone
  if (accounts === null) return Effect.void
  const { chain, stranger } = accounts
  const random = world.random.for("thief")
  const some = <A>(list: ReadonlyArray<A>): A | undefined => list[random.below(list.length)]

  const again = (unsigned: Unsigned, by: bigint): Unsigned => ({
    ...unsigned,
    sequence: chain.sequenceOf(unsigned.from) + by
  })

  const paying = (
    unsigned: Unsigned,
    change: (one: Unsigned["payments"][number]) => Partial<Unsigned["payments"][number]>
  ) => ({
    ...again(unsigned, 1n + BigInt(random.below(3))),
    payments: unsigned.payments.map((one) => ({ ...one, ...change(one) }))
  })

  const indexOf = ({ asked }: Signing): number | undefined => partners.find(({ id }) => id === asked.tenantId)?.index

  /** What is stopped now that concerns a transaction. */
  const stopOf = (signing: Signing): Stop | undefined =>
    records.stops.find(({ tenant, until }) => until === null && (tenant === null || tenant === indexOf(signing)))

  /** What was paid already, of whoever is stopped if anybody is: asking for it once more is to pay it twice. */
  const paid = (): Signing | undefined => {
    const known = new Set(chain.mined().map(({ hash }) => hash))
    const all = desk.signings.filter(({ asked, hash }) => asked.requests.length > 0 && known.has(hash))
    return some(all.filter((one) => stopOf(one) !== undefined)) ?? some(all)
  }

  const wishes: ReadonlyArray<(before: SignTransaction, unsigned: Unsigned) => Wish> = [
    (before, unsigned) => [before, paying(unsigned, () => ({}))],
    (before, unsigned) => [before, paying(unsigned, () => ({ to: stranger(random) }))],
    (before, unsigned) => [before, paying(unsigned, ({ units }) => ({ units: units + 1n }))],
    (before, unsigned) => [{ ...before, requests: [] }, paying(unsigned, () => ({}))],
    (before, unsigned) => {
      const to = stranger(random)
      const own = [...before.own, ...before.signers.map(({ key }) => ({ key, address: to }))]
      return [{ ...before, own, requests: [] }, paying(unsigned, () => ({ to }))]
    }
  ]

  /** A request that is signed with a key as a partner signs one, and what it asks for. */
  const forged = Effect.fnUntraced(function* (
    partner: PartnerOfWorld,
    { publicKey, signer }: Pick<PartnerOfWorld, "signer"> & PartnerOfWorld["key"],
    { asked }: Signing
  ) {
    const to = stranger(random)
    const { request, payment } = yield* forgedRequest(world, {
      signer,
      publicKey,
      to,
      name: `thief-${random.below(2 ** 30)}`
    })
    const unsigned = readUnsigned(asked.unsigned)
    const wish: Wish = [
      { ...asked, tenantId: partner.id, requests: [request satisfies SigningRequest] },
      { ...again(unsigned, farAway), payments: [payment] }
    ]
    return wish
  })

  const drawn = Effect.fnUntraced(function* (before: Signing) {
    const partner = partners.find(({ id }) => id === before.asked.tenantId)
    const revoked = records.revoked.find(({ tenant }) => tenant === partner?.index)
    const stop = stopOf(before)
    if (partner !== undefined && revoked !== undefined && random.chance(400))
      return yield* forged(partner, revoked, before)
    if (partner !== undefined && stop !== undefined)
      return yield* forged(partner, { signer: partner.signer, ...partner.key }, before)
    return some(wishes)?.(before.asked, readUnsigned(before.asked.unsigned))
  })

  const round = Effect.gen(function* () {
    yield* Effect.sleep(1_000 + random.below(5_000))
    const before = paid()
    if (before === undefined || !faults.strikes("thief.asks")) return
    const stops = records.stops.filter(({ until }) => until === null)
    const wish = yield* drawn(before)
    if (wish === undefined) return
    const { known: _, until: __, ...asked } = { ...wish[0], unsigned: writeUnsignedOf(wish[1]) }
    const given = yield* Effect.option(desk.service.sign(asked))
    note(`a thief asks the signer, and is ${given._tag === "Some" ? "given what it wants" : "refused"}`)
    // who asked while all was stopped, and is answered after it went on, has asked as the partner may
    if (given._tag === "None" || stops.some(({ until }) => until !== null)) return
    records.stolen.push(given.value.hash)
    chain.take({ ...readSigned(given.value.raw).transaction, hash: hashOf(given.value.raw) })
  })

  return Effect.forever(round)
}
