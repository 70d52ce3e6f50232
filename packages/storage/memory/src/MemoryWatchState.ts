import { depositStatuses } from "@bursar/core/deposit/DepositMachine"
import type { Network } from "@bursar/core/money/Network"
import { walletTransferStatuses } from "@bursar/core/deposit/WalletTransfer"
import { type Owned, WatchState } from "@bursar/core/store/WatchState"
import { Clock, Effect, Layer } from "effect"
import { byAge } from "./byAge.ts"
import { checkFence } from "./MemoryLeadership.ts"
import { type NetworkRecords, type State, Store } from "./Store.ts"
import * as Watched from "./watched.ts"

/** A minute, in milliseconds. */
const minuteMs = 60_000

const recordsOf = (state: State, network: Network): NetworkRecords => {
  const records = state.networks.get(network) ?? {
    cursor: undefined,
    blocks: [],
    latest: null,
    problem: null,
    notice: null,
    nodes: [],
    updatedAt: 0
  }
  state.networks.set(network, records)
  return records
}

/** The live owner of an address on the first of some networks, or on that of the others where it was registered first. */
const ownerOf = (state: State, networks: ReadonlyArray<Network>, address: string): Owned | undefined => {
  const [network] = networks
  const wallet = network === undefined ? undefined : Watched.walletOn(state, network, address)
  if (wallet !== undefined) return wallet
  const [here, ...elsewhere] = networks.map((each) => Watched.liveOn(state, each, address))
  const found = here ?? elsewhere.filter((record) => record !== undefined).toSorted(byAge)[0]
  if (found !== undefined) return Watched.owned(found)
  return networks.map((each) => Watched.walletOn(state, each, address)).find((one) => one !== undefined)
}

/** What watchers remember, in memory. Deposits are looked for among those of all tenants. */
export const layer = Layer.effect(
  WatchState,
  Effect.gen(function* () {
    const state = yield* Store
    const change = (network: Network, how: (records: NetworkRecords, now: number) => void): Effect.Effect<void> =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const records = recordsOf(state, network)
        how(records, now)
        records.updatedAt = now
      })
    return WatchState.of({
      cursor: (network) => Effect.sync(() => state.networks.get(network)?.cursor),
      blocks: (network, from) =>
        Effect.sync(() => (state.networks.get(network)?.blocks ?? []).filter(({ number }) => number >= from)),
      advance: (fence, network, block, keepFrom) =>
        Effect.andThen(
          checkFence(state, fence),
          change(network, (records) => {
            records.cursor = block
            records.blocks = [
              ...records.blocks.filter(({ number }) => number >= keepFrom && number < block.number),
              block
            ]
          })
        ),
      rewind: (fence, network, to) =>
        Effect.andThen(
          checkFence(state, fence),
          change(network, (records) => {
            records.cursor = to
            records.blocks = records.blocks.filter(({ number }) => number <= to.number)
          })
        ),
      report: (fence, network, { latest, nodes, notice, problem }) =>
        Effect.andThen(
          checkFence(state, fence),
          change(network, (records, now) => {
            Object.assign(records, { latest, nodes, notice, problem })
            if (latest === null || records.cursor === undefined) return
            const minute = Math.floor(now / minuteMs) * minuteMs
            const lags = state.networkLags.get(network) ?? new Map<number, number>()
            lags.set(minute, Math.max(lags.get(minute) ?? 0, latest - records.cursor.number))
            state.networkLags.set(network, lags)
          })
        ),
      statuses: Effect.sync(() =>
        [...state.networks].map(([network, { cursor, latest, nodes, notice, problem, updatedAt }]) => ({
          network,
          cursor: cursor ?? null,
          latest,
          problem,
          notice,
          nodes,
          updatedAt
        }))
      ),
      owners: (networks, addresses) =>
        Effect.sync(() => [...new Set(addresses)].flatMap((address) => ownerOf(state, networks, address) ?? [])),
      watched: (networks, limit) =>
        Effect.sync(() =>
          Watched.addressesOn(state, networks)
            .flatMap((address) => ownerOf(state, networks, address) ?? [])
            .slice(0, limit)
        ),
      depositsAmong: (network, txHashes) =>
        Effect.sync(() =>
          Watched.deposits(state, network, depositStatuses).filter(({ txHash }) => txHashes.includes(txHash))
        ),
      detectedUpTo: (network, height, limit) =>
        Effect.sync(() =>
          Watched.deposits(state, network, ["DETECTED"])
            .filter(({ block }) => block !== null && block.number <= height)
            .toSorted((left, right) => (left.block?.number ?? 0) - (right.block?.number ?? 0))
            .slice(0, limit)
        ),
      waiting: (network) =>
        Effect.sync(() => Watched.deposits(state, network, ["DETECTED"]).filter(({ block }) => block === null)),
      depositsAbove: (network, height) =>
        Effect.sync(() =>
          Watched.deposits(state, network, ["DETECTED", "CONFIRMED"]).filter(
            ({ block }) => block !== null && block.number > height
          )
        ),
      walletTransfersAmong: (network, txHashes) =>
        Effect.sync(() =>
          Watched.walletTransfers(state, network, walletTransferStatuses).filter(({ txHash }) =>
            txHashes.includes(txHash)
          )
        ),
      walletTransfersUpTo: (network, height, limit) =>
        Effect.sync(() =>
          Watched.walletTransfers(state, network, ["DETECTED"])
            .filter(({ block }) => block.number <= height)
            .slice(0, limit)
        ),
      walletTransfersAbove: (network, height) =>
        Effect.sync(() =>
          Watched.walletTransfers(state, network, ["DETECTED", "CONFIRMED"]).filter(
            ({ block }) => block.number > height
          )
        ),
      oneNodeCredits: (network, minute) =>
        Effect.sync(() =>
          [...state.oneNodeCredits.values()]
            .filter((one) => one.network === network && one.minute >= minute)
            .map((one) => ({ currency: one.currency, minute: one.minute, units: one.units }))
            .toSorted((one, other) => one.minute - other.minute || (one.currency < other.currency ? -1 : 1))
        ),
      countOneNodeCredits: (fence, network, credits, keepFrom) =>
        Effect.andThen(
          checkFence(state, fence),
          Effect.sync(() => {
            const { oneNodeCredits } = state
            for (const [key, one] of oneNodeCredits)
              if (one.network === network && one.minute < keepFrom) oneNodeCredits.delete(key)
            for (const credit of credits) {
              const key = `${network}|${credit.minute}|${credit.currency}`
              const units = (oneNodeCredits.get(key)?.units ?? 0n) + credit.units
              oneNodeCredits.set(key, { ...credit, network, units })
            }
          })
        ),
      firstRegistered: (network) =>
        Effect.sync(
          () =>
            Watched.live(state, [network])
              .map(({ createdAt }) => createdAt)
              .toSorted((left, right) => left - right)[0]
        ),
      watchedNow: (family, networks, now) =>
        Effect.sync(() =>
          Watched.recordsOn(state, networks)
            .filter((one) => one.watchNowUntil !== null && one.watchNowUntil >= now)
            .filter((one) => one.retiredAt === null || !Watched.isAnothers(state, family, networks, one))
            .toSorted(
              (one, other) =>
                (one.retiredAt ?? Number.POSITIVE_INFINITY) - (other.retiredAt ?? Number.POSITIVE_INFINITY) ||
                byAge(one, other)
            )
            .map(Watched.owned)
        ),
      backfills: (network, limit, after) =>
        Effect.sync(() =>
          [...state.backfills.values()]
            .filter((job) => job.network === network && Watched.isOpen(job))
            .filter((job) => after === undefined || byAge(job, after) > 0)
            .toSorted(byAge)
            .slice(0, limit)
        ),
      isBackfillStuckAt: (network, number) =>
        Effect.sync(() =>
          [...state.backfills.values()].some(
            (job) => job.network === network && Watched.isOpen(job) && job.nextBlock === number && job.problem !== null
          )
        ),
      endedBackfills: (network, limit) =>
        Effect.sync(() =>
          [...state.backfills.values()]
            .filter((job) => job.network === network && job.ended !== null && !Watched.finished(job))
            .toSorted((one, other) => (other.ended?.at ?? 0) - (one.ended?.at ?? 0) || byAge(one, other))
            .slice(0, limit)
        ),
      endBackfill: ({ id, nextBlock, tenantId }, ended) =>
        Effect.sync(() => {
          const job = state.backfills.get(id)
          if (job === undefined || job.tenantId !== tenantId || !Watched.isOpen(job) || job.nextBlock !== nextBlock)
            return undefined
          const over = { ...job, ended }
          state.backfills.set(id, over)
          return over
        }),
      dueBackfills: (network, now, limit) =>
        Effect.sync(() => Watched.dueBackfills(state, network, now).slice(0, limit)),
      putOffBackfill: (fence, job, { dueAt, failures, problem }) =>
        Effect.andThen(
          checkFence(state, fence),
          Effect.sync(() => {
            const stored = state.backfills.get(job.id)
            if (stored !== undefined) state.backfills.set(job.id, { ...stored, dueAt, failures, problem })
          })
        ),
      backfillProgress: (fence, job, nextBlock, lastBlock) =>
        Effect.andThen(
          checkFence(state, fence),
          Effect.sync(() => {
            const stored = state.backfills.get(job.id)
            if (stored !== undefined) state.backfills.set(job.id, { ...stored, nextBlock, lastBlock })
          })
        )
    })
  })
)
