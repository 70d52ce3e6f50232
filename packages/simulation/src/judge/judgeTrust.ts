import { createHash } from "node:crypto"
import type { ReplayGuard, TransactionContent } from "@bursar/core/port/ChainSender"
import { Result } from "effect"
import type { Signing } from "../process/SignerDesk.ts"
import type { World } from "../world/World.ts"
import { judgeCooling } from "./judgeCooling.ts"
import type { Told } from "./Told.ts"

/** A transaction that was signed for the first time, with what it pays to others. */
interface First extends Signing {
  readonly index: number
  /** What it uses up: of two that share any of it one takes effect at most. */
  readonly uses: ReadonlySet<string>
  /** When no block could take it any more; null where that never comes. */
  readonly validUntil: number | null
  readonly foreign: TransactionContent["payments"]
}

const usesOf = (guard: ReplayGuard): ReadonlySet<string> => {
  switch (guard._tag) {
    case "Sequence":
      return new Set([`${guard.account} ${guard.sequence}`])
    case "Utxos":
      return new Set(guard.utxos.map(({ txHash, vout }) => `${txHash}:${vout}`))
    case "Expiry":
      return new Set()
  }
}

/** What was signed, each by its first answer: the same bytes may be given again at any time. */
const firstsOf = ({ desk, network }: World, told: ReadonlyArray<Told>): ReadonlyArray<First> => {
  const seen = new Set<string>()
  const { codec } = network.asRead(1)
  return desk.signings.flatMap((signing) => {
    if (seen.has(signing.hash)) return []
    seen.add(signing.hash)
    const { guard, payments, validUntil } = Result.getOrThrow(codec.read(signing.asked.unsigned))
    const index = told.findIndex(({ partner }) => partner.id === signing.asked.tenantId)
    const partner = told[index]?.partner
    const own = new Set([...(partner?.wallets ?? []), ...(partner?.addresses ?? [])])
    return [{ ...signing, index, uses: usesOf(guard), validUntil, foreign: payments.filter(({ to }) => !own.has(to)) }]
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

/** Nobody is paid anything but what the partner asked for. */
const judgeAsked = ({ currencies, records }: World, firsts: ReadonlyArray<First>): ReadonlyArray<string> =>
  firsts
    .filter(({ hash }) => !records.excused.includes(hash))
    .flatMap(({ foreign, hash, index }) => {
      const meant = records.asked
        .filter(({ tenant }) => tenant === index)
        .flatMap(({ variants }) => variants.map((variant) => variant.meant))
        .filter(({ kind }) => kind === "CHAIN_PAYOUT")
      const isMeant = ({ contract, to, units }: First["foreign"][number]): boolean =>
        meant.some(
          (one) =>
            one.to === to &&
            one.units === units &&
            (currencies.byCode(one.currency)?.asset?.contract ?? null) === contract
        )
      return foreign
        .filter((payment) => !isMeant(payment))
        .map(({ to, units }) => `${hash} was signed to pay ${units} to ${to}, which partner ${index} never asked for`)
    })

/** No transaction of the partners' keys gives the network more than the cap. */
const judgeFees = ({ chain, config, currencies }: World, told: ReadonlyArray<Told>): ReadonlyArray<string> => {
  const own = new Set(told.flatMap(({ partner: { addresses, wallets } }) => [...wallets, ...addresses]))
  const { feeMax } = currencies.networks.of(config.network).limits
  return chain
    .mined()
    .filter(({ fee, from }) => own.has(from) && fee > feeMax)
    .map(({ fee, hash }) => `${hash} gave ${fee} to the network, beyond the cap`)
}

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

/** When a partner signed a request, by its own clock, in Unix milliseconds. */
const createdAt = ({ signatureBase }: First["asked"]["requests"][number]): number =>
  Number(/;created=(\d+)/u.exec(signatureBase)?.[1]) * 1_000

/** What is paid for a request is asked for while it is young for the first time. */
const judgeOld = ({ config, records }: World, firsts: ReadonlyArray<First>): ReadonlyArray<string> => {
  const ageMaxMs = config.trust?.requestAgeMaxMs ?? Infinity
  const seen = new Set<string>()
  return firsts.flatMap(({ asked, askedAt, hash }) =>
    asked.requests.flatMap((request) => {
      const [name, ageMs] = [requestOf(request), askedAt - createdAt(request)]
      if (seen.has(name)) return []
      seen.add(name)
      // clocks differ by twice as much as one of them is off
      return ageMs <= ageMaxMs + 2 * records.skewMs + 1_000
        ? []
        : [`${hash} was signed for the request ${name}, which was ${ageMs} ms old`]
    })
  )
}

/**
 * All that is signed for a request shares what it uses up with all else that is, or had expired in no block before: then one of its transactions
 * takes effect at most.
 */
const judgeSpent = ({ chain }: World, firsts: ReadonlyArray<First>): ReadonlyArray<string> => {
  const mined = new Set(chain.mined().map(({ hash }) => hash))
  const isOver = ({ hash, validUntil }: First, { answeredAt }: First): boolean =>
    validUntil !== null && validUntil < answeredAt && !mined.has(hash)
  const excludes = (one: First, other: First): boolean =>
    one === other || [...one.uses].some((use) => other.uses.has(use)) || isOver(one, other) || isOver(other, one)
  const named = firsts.flatMap((first) => first.asked.requests.map((request) => ({ name: requestOf(request), first })))
  return [...Map.groupBy(named, ({ name }) => name)].flatMap(([name, all]) => {
    const isApart = all.some((one) => all.some((other) => !excludes(one.first, other.first)))
    return isApart
      ? [
          `the request ${name} was signed for at ${all.map(({ first }) => [...first.uses].join(" and ") || first.hash).join(", ")}`
        ]
      : []
  })
}

/** No more is signed than was granted, each request counted once. */
const judgeGranted = (world: World, firsts: ReadonlyArray<First>): ReadonlyArray<string> => {
  const {
    assets: { limited },
    config,
    currencies
  } = world
  const contract = currencies.byCode(limited.currency)?.asset?.contract ?? null
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
      if (perPayment !== null && units > limited.unitsFor(BigInt(perPayment)))
        beyond.push(`${hash} pays ${units}, beyond what was granted`)
    }
  }
  const days = perDay === null ? [] : [...sums].filter(([, sum]) => sum > limited.unitsFor(BigInt(perDay)))
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
  const whole = disk.lostSynced()
    ? []
    : [...judgeSpent(world, firsts), ...judgeGranted(world, firsts), ...judgeCooling(world)]
  return [
    ...records.stolen.map((hash) => `${hash} was signed for somebody who had no right to it`),
    ...records.unopened.map((reason) => `the signer did not start: ${reason}`),
    ...judgeStops(world, firsts),
    ...judgeRevoked(world, firsts),
    ...judgeAsked(world, firsts),
    ...judgeOld(world, firsts),
    ...judgeFees(world, told),
    ...whole
  ]
}
