import { createHash } from "node:crypto"
import type { Signing } from "../process/SignerDesk.ts"
import { readUnsigned } from "../outside/bytes.ts"
import type { World } from "../world/World.ts"
import type { Told } from "./Told.ts"

/** A transaction that was signed for the first time, with what it pays to others. */
interface First extends Signing {
  readonly index: number
  readonly from: string
  readonly sequence: bigint
  readonly foreign: ReturnType<typeof readUnsigned>["payments"]
}

/** What was signed, each by its first answer: the same bytes may be given again at any time. */
const firstsOf = ({ desk }: World, told: ReadonlyArray<Told>): ReadonlyArray<First> => {
  const seen = new Set<string>()
  return desk.signings.flatMap((signing) => {
    if (seen.has(signing.hash)) return []
    seen.add(signing.hash)
    const { from, payments, sequence } = readUnsigned(signing.asked.unsigned)
    const index = told.findIndex(({ partner }) => partner.id === signing.asked.tenantId)
    const partner = told[index]?.partner
    const own = new Set([partner?.wallet, ...(partner?.addresses ?? [])])
    return [{ ...signing, index, from, sequence, foreign: payments.filter(({ to }) => !own.has(to)) }]
  })
}

/** Nothing that pays others was signed after it was stopped and before it went on. Who asked before may still be answered. */
const judgeStops = ({ records }: World, firsts: ReadonlyArray<First>): ReadonlyArray<string> =>
  firsts.flatMap(({ answeredAt, askedAt, foreign, hash, index }) => {
    const stop = records.stops.find(
      ({ from, tenant, until }) =>
        (tenant === null || tenant === index) && from < askedAt && answeredAt < (until ?? Infinity)
    )
    return stop === undefined || foreign.length === 0
      ? []
      : [`${hash} was signed while ${stop.tenant === null ? "the network" : `partner ${stop.tenant}`} was stopped`]
  })

/** A key that was revoked signs nothing after that. */
const judgeRevoked = ({ records }: World, firsts: ReadonlyArray<First>): ReadonlyArray<string> =>
  firsts.flatMap(({ asked, askedAt, hash, index }) =>
    asked.requests
      .filter(({ keyid }) =>
        records.revoked.some((one) => one.tenant === index && one.keyid === keyid && one.at < askedAt)
      )
      .map(({ keyid }) => `${hash} was signed for a request of ${keyid}, which was revoked`)
  )

const requestOf = ({ signature }: First["asked"]["requests"][number]): string =>
  createHash("sha256").update(signature).digest("hex").slice(0, 12)

/** What a request is signed for uses up one number of one account: then one of its transactions takes effect at most. */
const judgeSpent = (firsts: ReadonlyArray<First>): ReadonlyArray<string> => {
  const places = new Map<string, Set<string>>()
  for (const { asked, from, sequence } of firsts)
    for (const request of asked.requests) {
      const name = requestOf(request)
      places.set(name, (places.get(name) ?? new Set()).add(`${from} ${sequence}`))
    }
  return [...places]
    .filter(([, all]) => all.size > 1)
    .map(([name, all]) => `the request ${name} was signed for at ${[...all].join(", ")}`)
}

/** No more is signed than was granted, each request counted once. */
const judgeGranted = (world: World, firsts: ReadonlyArray<First>): ReadonlyArray<string> => {
  const { config, currencies } = world
  const contract = currencies.byCode("USDT_ETH")?.asset?.contract ?? null
  const { perDay = null, perPayment = null } = config.trust ?? {}
  const counted = new Set<string>()
  const sums = new Map<number, bigint>()
  const beyond: Array<string> = []
  for (const { asked, foreign, hash, index } of firsts) {
    const fresh = asked.requests.filter((request) => !counted.has(requestOf(request)))
    for (const request of fresh) counted.add(requestOf(request))
    if (fresh.length === 0) continue
    for (const { units } of foreign.filter((one) => one.contract === contract)) {
      sums.set(index, (sums.get(index) ?? 0n) + units)
      if (perPayment !== null && units > BigInt(perPayment))
        beyond.push(`${hash} pays ${units}, beyond what was granted`)
    }
  }
  const days = perDay === null ? [] : [...sums].filter(([, sum]) => sum > BigInt(perDay))
  return [
    ...beyond,
    ...days.map(([index, sum]) => `${sum} were signed for partner ${index} within a day, beyond what was granted`)
  ]
}

/** The keys sign what their owner signed and people agreed to, and the signer forgets none of it. */
export const judgeTrust = (world: World, told: ReadonlyArray<Told>): ReadonlyArray<string> => {
  const { disk, records } = world
  const firsts = firstsOf(world, told)
  // what a store has forgotten that was lost does not count
  const whole = disk.lostSynced() ? [] : [...judgeSpent(firsts), ...judgeGranted(world, firsts)]
  return [
    ...records.stolen.map((hash) => `${hash} was signed for somebody who had no right to it`),
    ...records.unopened.map((reason) => `the signer did not start: ${reason}`),
    ...judgeStops(world, firsts),
    ...judgeRevoked(world, firsts),
    ...whole
  ]
}
