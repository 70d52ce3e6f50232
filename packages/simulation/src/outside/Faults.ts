import type { Random } from "../kernel/Random.ts"

/** All that can go wrong, or be done by somebody, beside what a service is asked to do. */
export const faultKinds = [
  "storage.refuses",
  "storage.slow",
  "process.dies_before",
  "process.dies_after",
  "process.dies",
  "leader.deposed",
  "clock.jumps",
  "node.silent",
  "node.lags",
  "chain.reorgs",
  "chain.censors",
  "chain.forgets",
  "chain.reverts",
  "broadcast.lost",
  "broadcast.unheard",
  "broadcast.refused",
  "custodian.unheard",
  "custodian.lost",
  "custodian.late",
  "custodian.pending",
  "custodian.refuses",
  "custodian.fails",
  "custodian.unreadable",
  "bank.unheard",
  "bank.lost",
  "bank.late",
  "bank.pending",
  "bank.refuses",
  "bank.fails",
  "bank.returns",
  "bank.unreadable",
  "bank.other_amount",
  "bank.other_currency",
  "bank.tells_earlier",
  "bank.tells_less",
  "bank.tells_short",
  "bank.tells_nothing",
  "verifier.lost",
  "verifier.unheard",
  "verifier.unreadable",
  "verifier.takes_back",
  "verifier.tells_earlier",
  "provider.tells_late",
  "provider.tells_twice",
  "prices.unknown",
  "prices.stale",
  "prices.move",
  "webhook.fails",
  "webhook.unheard",
  "signer.silent",
  "partner.repeats",
  "partner.races",
  "partner.changes_body",
  "partner.hangs_up",
  "partner.uses_quote_again",
  "operator.suspends",
  "operator.switches_off",
  "operator.cancels",
  "operator.expedites",
  "operator.rejects",
  "disk.full",
  "disk.torn",
  "disk.lost",
  "disk.restored",
  "thief.asks",
  "operator.rotates_key",
  "approver.stops",
  "approver.leaves",
  "second.lags",
  "second.forges",
  "second.settles",
  "second.forgets",
  "second.understates",
  "operator.shortens_wait",
  "operator.lengthens_wait",
  "operator.moves_destination",
  "thief.backdates"
] as const

/** Something that can go wrong. */
export type FaultKind = (typeof faultKinds)[number]

/** What goes wrong in a world, and how often it did. */
export interface Faults {
  /** Whether it strikes here and now. What it strikes is counted. */
  readonly strikes: (kind: FaultKind, what?: string) => boolean
  /** From now on nothing goes wrong any more. */
  readonly end: () => void
  readonly over: () => boolean
  readonly struck: ReadonlyMap<FaultKind, number>
  /** By fault and what it struck. */
  readonly places: ReadonlyMap<string, number>
  /** By fault, and by the state of something that was open when it struck. */
  readonly during: ReadonlyMap<string, number>
}

/** How often in a thousand each strikes at most, where it has the chance. */
const most: Readonly<Record<FaultKind, number>> = {
  "storage.refuses": 30,
  "storage.slow": 60,
  "process.dies_before": 2,
  "process.dies_after": 3,
  "process.dies": 150,
  "leader.deposed": 200,
  "clock.jumps": 150,
  "node.silent": 60,
  "node.lags": 60,
  "chain.reorgs": 200,
  "chain.censors": 300,
  "chain.forgets": 100,
  "chain.reverts": 80,
  "broadcast.lost": 200,
  "broadcast.unheard": 200,
  "broadcast.refused": 150,
  "custodian.unheard": 250,
  "custodian.lost": 150,
  "custodian.late": 200,
  "custodian.pending": 400,
  "custodian.refuses": 100,
  "custodian.fails": 200,
  "custodian.unreadable": 300,
  "bank.unheard": 250,
  "bank.lost": 150,
  "bank.late": 200,
  "bank.pending": 500,
  "bank.refuses": 100,
  "bank.fails": 150,
  "bank.returns": 300,
  "bank.unreadable": 200,
  "bank.other_amount": 250,
  "bank.other_currency": 150,
  "bank.tells_earlier": 200,
  "bank.tells_less": 150,
  "bank.tells_short": 200,
  "bank.tells_nothing": 100,
  "verifier.lost": 200,
  "verifier.unheard": 200,
  "verifier.unreadable": 300,
  "verifier.takes_back": 300,
  "verifier.tells_earlier": 400,
  "provider.tells_late": 300,
  "provider.tells_twice": 300,
  "prices.unknown": 60,
  "prices.stale": 60,
  "prices.move": 300,
  "webhook.fails": 200,
  "webhook.unheard": 100,
  "signer.silent": 60,
  "disk.full": 15,
  "disk.torn": 500,
  "disk.lost": 150,
  "disk.restored": 150,
  "thief.asks": 500,
  "partner.repeats": 250,
  "partner.races": 200,
  "partner.changes_body": 100,
  "partner.hangs_up": 100,
  "partner.uses_quote_again": 150,
  "operator.suspends": 60,
  "operator.switches_off": 60,
  "operator.cancels": 500,
  "operator.expedites": 500,
  "operator.rejects": 250,
  "operator.rotates_key": 100,
  "approver.stops": 150,
  "approver.leaves": 20,
  "second.lags": 300,
  "second.forges": 300,
  "second.settles": 300,
  "second.forgets": 200,
  "second.understates": 200,
  "operator.shortens_wait": 60,
  "operator.lengthens_wait": 60,
  "operator.moves_destination": 100,
  "thief.backdates": 60
}

/** What faults are drawn with. */
export interface FaultsOptions {
  readonly random: Random
  /** Kinds that are left out. */
  readonly without: ReadonlySet<FaultKind>
  /** The states of what is open now. */
  readonly occupied: () => ReadonlyArray<string>
  /** The parts of the most of which each kind draws one. Default none, a fifth, a half, all. */
  readonly shares?: readonly [number, ...ReadonlyArray<number>]
}

/** The faults of a world: some kinds are absent from it, the others are rare or frequent. */
export const makeFaults = ({ occupied, random, shares = [0, 0.2, 0.5, 1], without }: FaultsOptions): Faults => {
  const weights = random.for("weights")
  const rates = new Map(
    faultKinds.map((kind) => {
      const share = weights.pick(shares)
      return [kind, without.has(kind) ? 0 : Math.ceil(most[kind] * share)] as const
    })
  )
  const draws = new Map(faultKinds.map((kind) => [kind, random.for(kind)] as const))
  const struck = new Map<FaultKind, number>()
  const places = new Map<string, number>()
  const during = new Map<string, number>()
  const add = (counts: Map<string, number>, name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1)
  let over = false
  return {
    struck,
    places,
    during,
    end: () => {
      over = true
    },
    over: () => over,
    strikes: (kind, what = "") => {
      if (over || draws.get(kind)?.chance(rates.get(kind) ?? 0) !== true) return false
      struck.set(kind, (struck.get(kind) ?? 0) + 1)
      add(places, `${kind} ${what}`)
      for (const state of occupied()) add(during, `${kind} ${state}`)
      return true
    }
  }
}

/** A world in which nothing goes wrong. */
export const noFaults: Faults = {
  strikes: () => false,
  end: () => undefined,
  over: () => true,
  struck: new Map(),
  places: new Map(),
  during: new Map()
}
