import type { Random } from "../kernel/Random.ts"
import { type AskedKind, askedKinds } from "./Records.ts"

/** What partners and those who pay them do. */
export type Activity = AskedKind | "DEPOSIT" | "PAYMENT_TO_ACCOUNT"

/** How a world differs from others: drawn from its seed. */
export interface WorldConfig {
  readonly network: string
  /** Blocks after which a deposit counts; fewer than are final in some worlds. */
  readonly confirmations: number
  readonly finality: number
  readonly blockMs: number
  readonly servers: number
  readonly workers: number
  readonly tenants: number
  /** For how long partners ask for things and everything goes wrong. */
  readonly activeMs: number
  /** The most operations after which a fiber lets others run; null where it does so as seldom as in a real process. */
  readonly pauseWithin: number | null
  /** How often each partner asks for something. */
  readonly askEveryMs: number
  /** How often each partner does what, by parts. */
  readonly weights: Readonly<Record<Activity, number>>
  readonly reviewUsd: string | null
  readonly limitUsd: string
  readonly dailyLimitUsd: string
  readonly feePercent: { readonly units: bigint; readonly decimals: number }
  /** How far a quote may be missed, in hundredths of a percent. */
  readonly slippageBps: number
  /** Where the custodian takes its fee of a conversion from. */
  readonly conversionFee: "NONE" | "RECEIVED" | "BESIDE"
  readonly networkFeeBorneBy: "RECEIVER" | "SERVICE"
  /** Whether partners are paid on addresses whose keys they hold themselves, too. */
  readonly ownAddresses: boolean
  /** How many keys of addresses each partner hands over to the service. */
  readonly handedKeys: 0 | 1 | 2
  /** From how many wallets each partner is paid out. */
  readonly wallets: 1 | 2
  /** Which of two nodes is of another operator, and now and then behind or false; null where there is one node. */
  readonly secondNode: 0 | 1 | null
  /** Where grants decide and a signer of its own holds the keys; null where rows decide. */
  readonly trust: TrustConfig | null
  /** Where destinations may be used only some time after they were granted; null where they may at once. */
  readonly cooling: CoolingConfig | null
}

/** What is granted, beside what the rows say. */
export interface TrustConfig {
  /** Whether what a custodian or a bank carries out has to be signed by the partner, too. */
  readonly signedOrders: boolean
  /** The most that the signer signs on the chain, in millionths of a dollar; null for no limit. */
  readonly perPayment: string | null
  readonly perDay: string | null
  /** For how long a signed request is good for a first payment or order; null for as long as in a service that says nothing of it. */
  readonly requestAgeMaxMs: number | null
}

/** How long destinations cool, and what people have done with that on the day before. */
export interface CoolingConfig {
  readonly hours: number
  /** To how many hours it was shortened right before another destination was granted; null where it was not. */
  readonly shortenedTo: number | null
  /** Whether the world begins when that destination may be used by its document, or by whoever knows that the time was shortened. */
  readonly begins: "by_document" | "by_memory"
}

const seconds = 1_000

/** The kinds that a bank carries out, or that need an account at it. */
const banking: ReadonlySet<Activity> = new Set([
  "ON_RAMP",
  "OFF_RAMP",
  "BANK_TRANSFER",
  "REFUND",
  "INTERNAL_TRANSFER",
  "PAYMENT_TO_ACCOUNT"
])

/** Whether anybody has to do with a bank. */
export const usesBank = ({ weights }: Pick<WorldConfig, "weights">): boolean =>
  [...banking].some((activity) => weights[activity] > 0)

/** Whether partners are paid on addresses that they register. */
export const registersAddresses = ({ handedKeys, ownAddresses }: Pick<WorldConfig, "handedKeys" | "ownAddresses">) =>
  ownAddresses || handedKeys > 0

/** In a third of the worlds nobody has to do with a bank, and in a third with little else. */
const drawWeights = (random: Random): WorldConfig["weights"] => {
  const [bank, others] = random.pick<readonly [bank: number, others: number]>([
    [0, 1],
    [1, 1],
    [2, 0]
  ])
  const most: Readonly<Record<Activity, number>> = {
    CHAIN_PAYOUT: 6 * others,
    WITHDRAWAL: 4 * others,
    SWAP: 4,
    DEPOSIT: 4 * others,
    ON_RAMP: 3 * bank,
    OFF_RAMP: 3 * bank,
    BANK_TRANSFER: 3 * bank,
    REFUND: 2 * bank,
    INTERNAL_TRANSFER: bank,
    PAYMENT_TO_ACCOUNT: bank
  }
  const draw = (activity: Activity): number => random.below(most[activity] + 1)
  const weights = Object.fromEntries(
    [...askedKinds, "DEPOSIT", "PAYMENT_TO_ACCOUNT"].map((activity) => [activity, draw(activity as Activity)]) // it is one of them
  ) as Record<Activity, number> // each of them has its own
  return others > 0
    ? { ...weights, CHAIN_PAYOUT: weights.CHAIN_PAYOUT + 1 }
    : { ...weights, ON_RAMP: weights.ON_RAMP + 1 }
}

const drawTrust = (random: Random): WorldConfig["trust"] =>
  random.chance(500)
    ? {
        signedOrders: random.chance(500),
        requestAgeMaxMs: random.for("age of requests").pick([null, null, 20_000, 60_000]),
        ...random.pick<Pick<TrustConfig, "perDay" | "perPayment">>([
          { perPayment: null, perDay: null },
          { perPayment: "200000000", perDay: "900000000" },
          { perPayment: null, perDay: "2500000000" }
        ])
      }
    : null

const drawCooling = (random: Random): CoolingConfig | null =>
  random.chance(300)
    ? {
        ...random.pick<Pick<CoolingConfig, "hours" | "shortenedTo">>([
          { hours: 1, shortenedTo: null },
          { hours: 2, shortenedTo: 1 },
          { hours: 1, shortenedTo: 0 }
        ]),
        begins: random.pick(["by_document", "by_memory"])
      }
    : null

const drawSecondNode = (random: Random): WorldConfig["secondNode"] =>
  random.chance(200) ? (random.chance(500) ? 1 : 0) : null

const drawHandedKeys = (random: Random): WorldConfig["handedKeys"] =>
  random.chance(250) ? (random.chance(500) ? 2 : 1) : 0

/** In three of ten worlds of accounts nothing but time excludes that two transactions both take effect. */
const drawNetwork = (random: Random): string => {
  if (random.for("own chain drawn").chance(250)) return "bitcoin"
  return random.for("expiry drawn").chance(300) ? "tron" : "ethereum"
}

/** A real process does so seldom enough to hide for years what is not right at every step. */
const drawPauseWithin = (random: Random): number | null => (random.chance(330) ? random.pick([8, 8, 40]) : null)

/** Destinations are of use to those who withdraw. */
const withdrawing = (weights: WorldConfig["weights"], cooling: CoolingConfig | null): WorldConfig["weights"] =>
  cooling === null ? weights : { ...weights, WITHDRAWAL: weights.WITHDRAWAL + 3 }

/** A second one pays only where the transactions of an account follow on each other. */
const drawWallets = (random: Random, network: string): WorldConfig["wallets"] =>
  network === "ethereum" && random.chance(250) ? 2 : 1

/** Draws how a world differs from others. */
export const drawConfig = (random: Random): WorldConfig => {
  const finality = 3 + random.below(3)
  const trust = drawTrust(random.for("trust"))
  // who holds the keys is who remembers
  const cooling = trust === null ? null : drawCooling(random.for("cooling"))
  const network = drawNetwork(random)
  return {
    network,
    confirmations: 1 + random.below(finality),
    finality,
    blockMs: (3 + random.below(8)) * seconds,
    servers: 1 + random.below(2),
    workers: 1 + random.below(2),
    tenants: 1 + random.below(2),
    // worlds of about a minute find the most planted mistakes for the processor time that they take
    activeMs: (10 + random.below(90)) * seconds,
    askEveryMs: (2 + random.below(8)) * seconds,
    weights: withdrawing(drawWeights(random), cooling),
    reviewUsd: random.pick([null, "100", "300"]),
    limitUsd: random.pick(["250", "400", "100000"]),
    dailyLimitUsd: random.pick(["800", "3000", "100000"]),
    feePercent: random.pick([
      { units: 0n, decimals: 0 },
      { units: 1n, decimals: 0 },
      { units: 37n, decimals: 2 }
    ]),
    slippageBps: random.pick([0, 50, 200]),
    conversionFee: random.pick(["NONE", "RECEIVED", "BESIDE"]),
    networkFeeBorneBy: random.pick(["RECEIVER", "SERVICE"]),
    ownAddresses: random.for("own addresses").chance(300),
    handedKeys: drawHandedKeys(random.for("handed keys")),
    wallets: drawWallets(random.for("wallets"), network),
    secondNode: drawSecondNode(random.for("nodes")),
    trust,
    cooling,
    pauseWithin: drawPauseWithin(random.for("pauses"))
  }
}
