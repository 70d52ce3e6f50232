import { hashesOf } from "@bursar/core/incoming/attemptOf"
import { type IncomingTransfer, recordIncomingTransfers } from "@bursar/core/incoming/recordIncomingTransfers"
import type { FoundAtWallet } from "@bursar/core/incoming/walletTransfers"
import { type BlockPoint, Deposit, type DepositIdentity } from "@bursar/core/deposit/Deposit"
import type { Transfer } from "@bursar/core/port/Chain"
import { type Owned, WatchState } from "@bursar/core/store/WatchState"
import type { Network } from "@bursar/core/money/Network"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Array as Arr, Effect } from "effect"
import { countDeposits } from "./metrics.ts"
import { withFormerIdentity } from "./formerIdentity.ts"
import { countable, matchTransfers, matchWallets, receiversOf } from "./matchTransfers.ts"
import { reorgAgreed } from "./secondNode/reorgAgreed.ts"
import { recordAtWallets } from "./walletTransfers.ts"
import { submitInEnvironment } from "./submitFenced.ts"
import type { Watch } from "./Watch.ts"

/** Tenants written to at once. */
const tenantsAtOnce = 8

/**
 * The addresses that are meant, each with the tenant that asked, where not all receivers are. With its record where it is to be
 * matched though it is retired, as long as it is nobody else's.
 */
export type Only = ReadonlyMap<string, Pick<Owned, "tenantId"> | Owned>

/** Transfers of one block, or some that wait for a block. */
export interface Found {
  readonly transfers: ReadonlyArray<Transfer>
  readonly block: BlockPoint | null
}

/** How transfers come to be read. */
export interface Reading {
  /** The newest block's number. */
  readonly latest: number
  /** Whether their block was known before, or nodes of two operators agree on them; without meaning where they wait for one. */
  readonly reading: "first" | "again" | "agreed"
  readonly only?: Only
}

/** What came of transfers. */
export interface Recorded {
  /** The deposits that moved. */
  readonly deposits: ReadonlyArray<Deposit>
  /** The transactions that pay somebody here, whether that was known already or not. */
  readonly matched: ReadonlySet<string>
}

const meant = (tenantId: TenantId, found: ReadonlyArray<IncomingTransfer>, only: Only | undefined) =>
  only === undefined ? found : found.filter(({ address }) => only.get(address)?.tenantId === tenantId)

/** What is asked for and is live on no network: only its own network can say what came to it. */
const retired = (network: Network, live: ReadonlyArray<Owned>, only: Only | undefined): ReadonlyArray<Owned> => {
  const found = new Set(live.map(({ address }) => address))
  return [...(only?.values() ?? [])].flatMap((one) =>
    "addressId" in one && one.network === network && !found.has(one.address) ? [one] : []
  )
}

/** What is known of some transfers of a block and stands in another block: recording them here takes them from there. */
const standingElsewhere = <A extends DepositIdentity & { readonly block: BlockPoint | null }>(
  known: ReadonlyArray<A>,
  found: ReadonlyMap<TenantId, ReadonlyArray<DepositIdentity & Pick<Transfer, "innerHash">>>,
  block: BlockPoint
): ReadonlyArray<A> => {
  const here = new Set(
    [...found.values()].flat().flatMap((one) => hashesOf(one).map((txHash) => Deposit.text({ ...one, txHash })))
  )
  return known.filter((one) => one.block?.hash !== block.hash && here.has(Deposit.text(one)))
}

/** Records what came to wallets in a block, unless one node alone takes it from the block in which it was booked. */
const recordWallets = Effect.fnUntraced(function* (
  watch: Watch,
  found: ReadonlyMap<TenantId, ReadonlyArray<FoundAtWallet>>,
  { block, reading }: Pick<Reading, "reading"> & { readonly block: BlockPoint }
) {
  if (found.size === 0) return
  const state = yield* WatchState
  const txHashes = Arr.dedupe([...found.values()].flat().flatMap(hashesOf))
  const known = yield* state.walletTransfersAmong(watch.chain.network, txHashes)
  yield* reorgAgreed(watch, standingElsewhere(known, found, block))
  yield* recordAtWallets(watch, found, reading)
})

/** Counts and logs the deposits that moved; `waited` are those that had no block before. */
const tell = Effect.fnUntraced(function* (
  { chain: { network } }: Watch,
  deposits: ReadonlyArray<Deposit>,
  waited: ReadonlySet<string>
) {
  yield* countDeposits(network, "detected", deposits.filter(({ id }) => !waited.has(id)).length)
  yield* Effect.forEach(
    deposits,
    ({ block, historical, id, tenantId, transferIndex, txHash }) =>
      Effect.logInfo(waited.has(id) ? "deposit.mined" : "deposit.detected").pipe(
        Effect.annotateLogs({
          height: block?.number ?? "none",
          deposit: id,
          tenant: tenantId,
          txHash,
          transferIndex,
          historical
        })
      ),
    { discard: true }
  )
})

/**
 * Records the deposits among some transfers, per tenant, and waits until all of them are committed. What is known already
 * changes nothing, so transfers may be recorded any number of times. The directory is asked for the receivers only.
 */
export const recordTransfers = Effect.fn("watch.recordTransfers")(function* (
  watch: Watch,
  { block, transfers }: Found,
  { latest, only, reading }: Reading
) {
  const { chain, currencies, fence, limits } = watch
  const { blockTimeSlackMs, network, requiredConfirmations } = chain
  const candidates = countable(network, transfers, currencies).filter(
    (transfer) => only === undefined || receiversOf(watch, transfer).some((address) => only.has(address))
  )
  if (candidates.length === 0) return { deposits: [], matched: new Set() } satisfies Recorded
  const state = yield* WatchState
  const receivers = candidates.flatMap((transfer) => receiversOf(watch, transfer))
  const live = yield* state.owners(currencies.networks.siblings(network), Arr.dedupe(receivers))
  const owned = [...live, ...retired(network, live, only)]
  const known = yield* state.depositsAmong(network, Arr.dedupe(candidates.map(({ txHash }) => txHash)))
  const identified = withFormerIdentity(watch, candidates, known)
  if (block !== null)
    yield* recordWallets(watch, matchWallets(watch, identified, { block, owned, known, currencies }), {
      block,
      reading
    })
  const byTenant = matchTransfers(watch, identified, { block, owned, known, currencies, latest })
  if (block !== null) yield* reorgAgreed(watch, standingElsewhere(known, byTenant, block))
  const moved = yield* Effect.forEach(
    byTenant,
    ([tenantId, found]) =>
      Effect.forEach(Arr.chunksOf(meant(tenantId, found, only), limits.depositsPerCommandMax), (incomingTransfers) =>
        submitInEnvironment(
          fence,
          tenantId,
          recordIncomingTransfers(
            { network, requiredConfirmations, blockTimeSlackMs, reading, begunAt: watch.begun.at, incomingTransfers },
            currencies
          )
        )
      ),
    { concurrency: tenantsAtOnce }
  )
  const deposits: ReadonlyArray<Deposit> = moved.flat(2)
  const waited = known.filter((deposit) => deposit.status === "DETECTED" && deposit.block === null)
  yield* tell(watch, deposits, new Set(waited.map(({ id }) => id)))
  return {
    deposits,
    matched: new Set([...byTenant.values()].flat().map(({ txHash }) => txHash))
  } satisfies Recorded
})
