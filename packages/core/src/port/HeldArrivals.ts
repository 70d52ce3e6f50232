import { Context, type Effect } from "effect"
import type { Fence } from "../engine/fenced.ts"
import type { StorageError } from "../engine/StorageError.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { Network } from "../money/Network.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import type { Fenced } from "./Leadership.ts"

/** What one node says of an arrival, in words for an operator. */
export interface NodeStatement {
  readonly node: string
  /** Who runs the node. */
  readonly operator: string
  readonly says: string
}

/** An arrival in a block, by what makes it that very one. */
export interface ArrivalInBlock {
  readonly network: Network
  readonly txHash: string
  readonly transferIndex: number
  readonly blockHash: string
}

/** An arrival that is not credited, because nodes of two operators do not say the same of it. */
export interface HeldArrival extends ArrivalInBlock {
  readonly blockNumber: number
  readonly tenantId: TenantId
  readonly address: string
  readonly currency: string
  readonly units: bigint
  /** `disputed`: they contradict each other; `waiting`: too few of them say anything. */
  readonly state: "waiting" | "disputed"
  readonly said: ReadonlyArray<NodeStatement>
  /** Since when it could have been credited. */
  readonly since: Timestamp
}

/** Whether two arrivals in the same place say the same of whom they pay and how much: what people decide is about these facts alone. */
export const isSameArrival = (one: ArrivalFacts, other: ArrivalFacts): boolean =>
  one.tenantId === other.tenantId &&
  one.address === other.address &&
  one.currency === other.currency &&
  one.units === other.units

/** The place of an arrival in the list of all: the newest first. */
export type HeldPlace = ArrivalInBlock & Pick<HeldArrival, "since">

/** Whom an arrival pays, and how much. */
export type ArrivalFacts = Pick<HeldArrival, "address" | "currency" | "tenantId" | "units">

/** How it ended: nodes `agreed`, its block is `gone`, or operators `accepted` or `refused` it by their own evidence. */
export const heldOutcomes = ["agreed", "gone", "accepted", "refused"] as const

/** How it ended. */
export type HeldOutcome = (typeof heldOutcomes)[number]

/** A held arrival with what operators said of it, and its end. */
export interface HeldArrivalEntry extends HeldArrival {
  /** The first of the two operators who accept it; null where none has. */
  readonly acceptance: { readonly by: string; readonly reason: string } | null
  /** Null while it is open. */
  readonly end: {
    readonly outcome: HeldOutcome
    readonly by: string
    readonly reason: string | null
    readonly at: Timestamp
  } | null
}

/** An operator's word on a held arrival. */
export interface HeldDecision {
  readonly verdict: "accept" | "refuse"
  readonly by: string
  readonly reason: string
  readonly at: Timestamp
  /** What the operator has seen that it pays; absent where nobody said. */
  readonly pays?: Omit<ArrivalFacts, "tenantId">
}

/** Whether an operator's word is about what an arrival pays now. */
export const isAbout = ({ pays }: HeldDecision, now: ArrivalFacts): boolean =>
  pays === undefined || isSameArrival({ ...pays, tenantId: now.tenantId }, now)

/**
 * What came of an operator's word. Accepting takes two people, refusing one: `first` says that another has to accept too, `same_person`
 * that this one has already. `changed`
 * says that it pays something else than the operator has seen.
 */
export type DecisionResult = "accepted" | "refused" | "first" | "same_person" | "not_open" | "changed"

/**
 * Arrivals that are not credited, because nodes of two operators do not say the same of them. What was `accepted` or `refused` stays so
 * while it pays the same one as much.
 * Writes of watchers are refused (`Fenced`) to one that has been replaced.
 */
export class HeldArrivals extends Context.Service<
  HeldArrivals,
  {
    /**
     * Adds an arrival or replaces what is known of it. One that operators have decided stays as it is. If it pays somebody else or another
     * amount than before, nobody has accepted or decided it.
     */
    readonly hold: (fence: Fence, arrival: HeldArrival) => Effect.Effect<void, StorageError | Fenced>
    /** Ends an open one by what the chain says now. Nothing where none is open. */
    readonly end: (
      fence: Fence,
      which: ArrivalInBlock,
      outcome: "agreed" | "gone",
      at: Timestamp
    ) => Effect.Effect<void, StorageError | Fenced>
    /** What is known of arrivals by their transactions, whether it is open or not. */
    readonly among: (
      network: Network,
      txHashes: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<HeldArrivalEntry>, StorageError>
    /** Newest first, at most `limit`, those behind a place where one is given; open ones alone where `open` is true. */
    readonly list: (filter: {
      readonly network: Network | null
      readonly open: boolean
      readonly after?: HeldPlace | undefined
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<HeldArrivalEntry>, StorageError>
    /** Takes an operator's word, in one step. */
    readonly decide: (which: ArrivalInBlock, decision: HeldDecision) => Effect.Effect<DecisionResult, StorageError>
  }
>()("@bursar/core/port/HeldArrivals") {}
