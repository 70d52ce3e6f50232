import type { SigningRequest } from "@bursar/core/port/TransactionSigner"
import { Effect } from "effect"
import type { Signing } from "../../process/SignerDesk.ts"
import type { Stop } from "../../world/Records.ts"
import type { World } from "../../world/World.ts"
import type { PartnerOfWorld } from "../letIn.ts"
import { accountTheft } from "./accountTheft.ts"
import { forgedRequest } from "./forgedRequest.ts"
import { outputTheft } from "./outputTheft.ts"

const oldRequest = "a payment by an old request"

/**
 * Somebody who reads all that goes to the signer, may ask it for anything, and has every key that partners ever signed with. It tries to be
 * paid: with requests that were paid, for another receiver or amount, by saying that its own address is the tenant's, with requests of a key that
 * was revoked or that are too old, and while everything is stopped. What it is given it gives to the network.
 */
export const thief = (world: World, partners: ReadonlyArray<PartnerOfWorld>) => {
  const { accounts, bitcoin, config, desk, faults, network, note, records } = world
  const random = world.random.for("thief")
  const theft = accounts === null ? bitcoin && outputTheft(bitcoin, desk, random) : accountTheft(accounts, random)
  if (theft === null) return Effect.void
  const some = <A>(list: ReadonlyArray<A>): A | undefined => list[random.below(list.length)]

  const indexOf = ({ asked }: Signing): number | undefined => partners.find(({ id }) => id === asked.tenantId)?.index

  /** What is stopped now that concerns a transaction. */
  const stopOf = (signing: Signing): Stop | undefined =>
    records.stops.find(({ tenant, until }) => until === null && (tenant === null || tenant === indexOf(signing)))

  /** What was signed already, for whoever is stopped if anybody is. */
  const before = (): Signing | undefined => {
    const all = desk.signings.filter(theft.isOfUse)
    return some(all.filter((one) => stopOf(one) !== undefined)) ?? some(all)
  }

  /** A request that is signed with a key as a partner signs one, and what it asks for. */
  const forged = Effect.fnUntraced(function* (
    partner: PartnerOfWorld,
    { publicKey, signer }: Pick<PartnerOfWorld, "signer"> & PartnerOfWorld["key"],
    { asked }: Signing,
    agoMs = 0
  ) {
    const to = network.stranger(random)
    const name = `thief-${random.below(2 ** 30)}`
    const { request, payment } = yield* forgedRequest(world, { signer, publicKey, to, name, agoMs })
    return theft.pay(asked, { tenantId: partner.id, requests: [request satisfies SigningRequest], payment })
  })

  /** What it wants, by a name, and what it asks the signer for. */
  const drawn = Effect.fnUntraced(function* (signing: Signing) {
    const partner = partners.find(({ id }) => id === signing.asked.tenantId)
    const revoked = records.revoked.find(({ tenant }) => tenant === partner?.index)
    if (partner !== undefined && revoked !== undefined && random.chance(400))
      return ["a payment by a revoked key", yield* forged(partner, revoked, signing)] as const
    if (partner !== undefined && stopOf(signing) !== undefined)
      return [
        "a payment in spite of a stop",
        yield* forged(partner, { signer: partner.signer, ...partner.key }, signing)
      ] as const
    const ageMaxMs = config.trust?.requestAgeMaxMs
    if (partner !== undefined && ageMaxMs != null && random.chance(300))
      return [
        oldRequest,
        // by any clock
        yield* forged(
          partner,
          { signer: partner.signer, ...partner.key },
          signing,
          ageMaxMs + 2 * records.skewMs + 1_000
        )
      ] as const
    const [name = "nothing", asks] = some(theft.wishes) ?? []
    return [name, asks?.(signing.asked)] as const
  })

  const round = Effect.gen(function* () {
    yield* Effect.sleep(1_000 + random.below(5_000))
    const signing = before()
    if (signing === undefined) return
    const [name, asks] = yield* drawn(signing)
    if (asks === undefined || !faults.strikes("thief.asks", `${config.network}: ${name}`)) return
    const stops = records.stops.filter(({ until }) => until === null)
    const { skewMs } = records
    const signed = new Set(desk.signings.map(({ hash }) => hash))
    const [given, hashes]: [Array<Uint8Array>, Array<string>] = [[], []]
    for (const { known: _, until: __, ...asked } of asks) {
      const answer = yield* Effect.option(desk.service.sign(asked))
      if (answer._tag === "None") return note(`a thief wants ${name}, and is refused`)
      given.push(answer.value.raw)
      hashes.push(answer.value.hash)
    }
    // where nothing else tells them apart, whoever asks for what was signed for is given that
    if (hashes.every((hash) => signed.has(hash))) return note(`a thief wants ${name}, and is given what others were`)
    note(`a thief wants ${name}, and is given it`)
    // who asked while all was stopped, and is answered after it went on, has asked as the partner may; so has who asked before the signer's clock went back,
    // by which the request is not old
    const isYoung = name === oldRequest && records.skewMs > skewMs
    const isExcused = stops.some(({ until }) => until !== null) || isYoung
    if (isExcused) records.excused.push(...hashes)
    else records.stolen.push(theft.give(given))
  })

  return Effect.forever(round)
}
