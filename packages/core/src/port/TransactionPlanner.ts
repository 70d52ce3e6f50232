import { Effect } from "effect"
import type { StorageError } from "../engine/StorageError.ts"
import type { ChainError } from "./Chain.ts"
import type { Utxo } from "./Utxo.ts"

/** An account whose replay guards may be used, as the records have it. */
export interface CountedAccount {
  /** Canonical. */
  readonly address: string
  /** The sequence that its next transaction takes; null until one is known. */
  readonly nextSequence: bigint | null
  /** How many of its transactions are under way. */
  readonly openTransactions: number
}

/** A payout wallet or a channel account of a tenant, as the records have it. */
export interface OwnAccount extends CountedAccount {
  /** What its open transactions will still take from it, by contract; null for the native asset. */
  readonly committed: ReadonlyArray<{ readonly contract: string | null; readonly units: bigint }>
}

/** The accounts of a tenant on a network. */
export interface OwnAccounts {
  /** What is paid comes from it. */
  readonly wallet: OwnAccount
  /** The channel accounts that exist. Most networks have none. */
  readonly channels: ReadonlyArray<OwnAccount>
}

/**
 * What a transaction is to use up, as the adapter proposes it. The core checks it under the lock and reserves it: a proposal that is
 * wrong or outdated is refused, and nothing happens.
 */
export type GuardPlan =
  /**
   * The next sequence of an account. `first` is the sequence with which the chain says that it goes on. It counts while nothing of the
   * account is under way, and may be null while something is.
   */
  | { readonly _tag: "Sequence"; readonly account: string; readonly first: bigint | null }
  /** `fee` is the expected network fee in base units, which the UTXOs cover besides the payments. */
  | { readonly _tag: "Utxos"; readonly utxos: ReadonlyArray<Utxo>; readonly fee: bigint }
  | { readonly _tag: "Expiry" }

/** A payout that waits to be put into a transaction. */
export interface WaitingPayment {
  readonly id: string
  /** Canonical. */
  readonly to: string
  /** The pinned contract or issuer of the asset, null for the native asset. */
  readonly contract: string | null
  readonly units: bigint
  /** It must not share a transaction with others. */
  readonly alone: boolean
}

/** Payouts of one tenant, the oldest first. */
export interface PayoutsRequest {
  readonly accounts: OwnAccounts
  readonly payments: ReadonlyArray<WaitingPayment>
  /** How many transactions of one account the service wants under way at most. The network may allow fewer. */
  readonly underWayMax: number
  /** The confirmed UTXOs of the wallet that nothing has reserved. Read only by networks that have UTXOs. */
  readonly freeUtxos: Effect.Effect<ReadonlyArray<Utxo>, StorageError>
}

/** How payouts are put into transactions. A payment that is in neither list waits for the next round. */
export interface PayoutsPlan {
  /**
   * Which payments each transaction makes, by their ids, and what it uses up. No two use up the same. `fee` is what the wallet is expected to pay the
   * network for it in the native asset: nothing else is promised that until it is signed. Absent where the guard covers it, or it is not known.
   */
  readonly transactions: ReadonlyArray<{
    readonly ids: ReadonlyArray<string>
    readonly guard: GuardPlan
    readonly fee?: bigint
  }>
  /** Payments that cannot be made now, and why. */
  readonly waiting: ReadonlyArray<{
    readonly id: string
    readonly reason: "insufficient_wallet" | "fees_unknown" | "node_unreadable"
    readonly detail: string
    /** `soon` where the next block may change it. */
    readonly retry: "soon" | "later"
    /** Whether nothing but the network fee lacks, by what the node asks for it: another may ask for less. False where absent. */
    readonly lacksFee?: boolean
  }>
}

/** A confirmed deposit that is to be moved to the wallet. */
export interface PlannedDeposit {
  readonly txHash: string
  readonly transferIndex: number
  /** Canonical. */
  readonly address: string
  readonly units: bigint
}

/** Deposits of one currency that wait on accounts that are swept together. */
export interface SweepQuestion {
  /** The wallet that receives them. */
  readonly to: string
  /** Who pays on the chain for the deposits, where that is one account. */
  readonly account: string
  /** The sequence that its next transaction takes, as the records have it; null until one is known. */
  readonly nextSequence: bigint | null
  readonly contract: string | null
  readonly deposits: ReadonlyArray<PlannedDeposit>
  /** A deposit that shares its transaction with others must be worth more than so many times what it adds to the fee. */
  readonly costTimes: number
  /** What is set aside for the fee, in percent of what it is now: it may rise until the transaction is signed. */
  readonly budgetPercent: number
  /** What is left on an account when its native asset is swept, in base units, beside what the network makes it keep. */
  readonly keeps: bigint
  /** `given`: the account got the native asset for this sweep, and gets no more. */
  readonly topUp: "possible" | "given"
  /** The public key of an address whose key was imported, in hexadecimal. */
  readonly publicKeyOf: (address: string) => Effect.Effect<string | undefined, StorageError>
}

/** How deposits are moved. Whether that is worth its cost is for the core to say. */
export type SweepPlan =
  /** `units` of `deposits` are moved for an expected `fee`, in base units of the asset and of the native asset. */
  | {
      readonly _tag: "Sweep"
      /** The account that sends, or gets the change. */
      readonly from: string
      readonly deposits: ReadonlyArray<PlannedDeposit>
      readonly units: bigint
      readonly fee: bigint
      readonly guard: GuardPlan
    }
  /** The account needs so many `lacks` of the native asset first. The sweep itself is expected to cost `fee`. */
  | { readonly _tag: "LacksNative"; readonly fee: bigint; readonly lacks: bigint }
  | { readonly _tag: "NotNow"; readonly reason: "below_threshold" | "cost_unknown" | "no_coin" | "uneconomic" }

/** A gift of the native asset to an address, so that it can pay for its sweep. */
export interface TopUpQuestion {
  readonly accounts: OwnAccounts
  readonly to: string
  readonly units: bigint
}

/** What a top-up would take. */
export interface TopUpPlan {
  /** Its expected network fee, in base units of the native asset; null where it cannot be told. */
  readonly fee: bigint | null
  /** What the wallet has left of the native asset beside everything under way, in base units. */
  readonly left: bigint
  /** Null where every account is busy. */
  readonly guard: GuardPlan | null
}

/** An account of the service that must exist and hold trustlines before it can receive an asset. */
export interface ProvisionedAccount {
  readonly address: string
  readonly role: "PAYOUT" | "CHANNEL" | "ISSUING"
}

/** What provisions an account: the native asset from the wallet, which creates it where it does not exist, or trustlines. */
export type ProvisioningStep =
  | { readonly _tag: "Fund"; readonly units: bigint }
  | { readonly _tag: "Trust"; readonly contracts: ReadonlyArray<string> }

/** What an account lacks: nothing, a step that the wallet pays, or native asset that somebody must send to the wallet. */
export type ProvisioningNeed =
  | { readonly _tag: "Nothing" }
  | { readonly _tag: "Step"; readonly step: ProvisioningStep }
  | { readonly _tag: "Native"; readonly units: bigint }

/** How an account stands in the newest block. */
export interface ProvisioningView {
  readonly exists: boolean
  /** What it can spend of the native asset beyond what it must keep, in base units. */
  readonly spendable: bigint
  /** Whether it can pay for a transaction that uses its sequence. */
  readonly canLend: boolean
  readonly need: ProvisioningNeed
  /** Those of the assets it lacks that nobody can agree to hold, as their issuer is not there. `need` leaves them out. None where absent. */
  readonly unissued?: ReadonlyArray<string>
}

/** How accounts are provisioned, on networks where accounts must be created and need a trustline per asset. */
export interface Provisioner {
  /** What the wallet keeps of the native asset for its own fees, in base units. */
  readonly walletKeeps: bigint
  /** Reads what an account lacks of these assets. `promised` is what open transactions will still take from it, in base units. */
  readonly look: (
    account: ProvisionedAccount,
    assets: ReadonlyArray<string>,
    promised: bigint
  ) => Effect.Effect<ProvisioningView, ChainError>
  /** Chooses whose sequence the next step uses, among accounts that can lend one; null where every account is busy. */
  readonly lend: (lenders: ReadonlyArray<CountedAccount>) => Effect.Effect<GuardPlan | null, ChainError>
}

/**
 * What a network's rules say about the funding of transactions: which sequence, UTXOs or nothing a payout, a sweep or a top-up uses up,
 * and what fits into one transaction. It holds no state and reserves nothing. Its answers are proposals.
 */
export interface TransactionPlanner {
  /** How many payouts can be put into transactions now. Pure. `underWayMax` as in `PayoutsRequest`. */
  readonly room: (accounts: OwnAccounts, underWayMax: number) => number
  readonly payouts: (request: PayoutsRequest) => Effect.Effect<PayoutsPlan, ChainError | StorageError>
  /** Groups what waits on addresses by what one transaction can move. Pure. */
  readonly sweptTogether: <A extends { readonly account: string }>(
    waiting: ReadonlyArray<A>
  ) => ReadonlyArray<ReadonlyArray<A>>
  readonly sweep: (question: SweepQuestion) => Effect.Effect<SweepPlan, ChainError | StorageError>
  readonly topUp: (question: TopUpQuestion) => Effect.Effect<TopUpPlan, ChainError>
  /** Absent where an address can receive every asset as it is. */
  readonly provisioner?: Provisioner
}

/** Has one of several planners of a network answer a question. */
export type AskPlanner = <A, E>(
  question: (planner: TransactionPlanner) => Effect.Effect<A, ChainError | E>
) => Effect.Effect<A, ChainError | E>

/** A planner whose questions to the chain go through `ask`. Its pure parts are those of `first`. */
export const plannerThrough = (first: TransactionPlanner, ask: AskPlanner): TransactionPlanner => {
  // what a node of the same kind offers, each of them does
  const ofEach = ({ provisioner }: TransactionPlanner): Effect.Effect<Provisioner> =>
    provisioner === undefined
      ? Effect.die(new Error("the nodes of a network differ in what they offer"))
      : Effect.succeed(provisioner)
  return {
    room: first.room,
    sweptTogether: first.sweptTogether,
    payouts: (request) => ask((planner) => planner.payouts(request)),
    sweep: (question) => ask((planner) => planner.sweep(question)),
    topUp: (question) => ask((planner) => planner.topUp(question)),
    ...(first.provisioner && {
      provisioner: {
        walletKeeps: first.provisioner.walletKeeps,
        look: (account, assets, promised) =>
          ask((planner) => Effect.flatMap(ofEach(planner), ({ look }) => look(account, assets, promised))),
        lend: (lenders) => ask((planner) => Effect.flatMap(ofEach(planner), ({ lend }) => lend(lenders)))
      }
    })
  }
}
