import { Quarantine, type QuarantineEntry, type QuarantinePlace } from "@bursar/core/port/Quarantine"
import { Effect, Layer } from "effect"
import { compareText } from "./byAge.ts"
import { checkFence } from "./MemoryLeadership.ts"
import { Store } from "./Store.ts"

const keyOf = ({ block, network, txHash }: QuarantinePlace): string => `${network}|${block.hash}|${txHash ?? ""}`

/** The newest first. */
const inOrder = (one: QuarantinePlace, other: QuarantinePlace): number =>
  other.noticedAt - one.noticedAt || other.block.number - one.block.number || compareText(keyOf(one), keyOf(other))

const isOpen = ({ end }: QuarantineEntry): boolean => end === null

/** What watchers could not read, in memory. */
export const layer = Layer.effect(
  Quarantine,
  Effect.map(Store, (state) => {
    const { blockOrders, quarantine } = state
    const all = () => [...quarantine.values()]
    return Quarantine.of({
      add: (fence, entries) =>
        Effect.andThen(
          checkFence(state, fence),
          Effect.sync(() => {
            for (const entry of entries) {
              const before = quarantine.get(keyOf(entry))
              if (before === undefined || (before.end !== null && before.end.outcome !== "passed"))
                quarantine.set(keyOf(entry), { ...entry, end: null })
            }
          })
        ),
      openCount: (network) =>
        Effect.sync(() => all().filter((entry) => entry.network === network && isOpen(entry)).length),
      list: ({ after, limit, network, open }) =>
        Effect.sync(() =>
          all()
            .filter((entry) => (network === null || entry.network === network) && (!open || isOpen(entry)))
            .filter((entry) => after === undefined || inOrder(after, entry) < 0)
            .toSorted(inOrder)
            .slice(0, limit)
        ),
      openFrom: (network, number) =>
        Effect.sync(() =>
          all()
            .filter((entry) => entry.network === network && entry.block.number >= number && isOpen(entry))
            .toSorted((one, other) => one.block.number - other.block.number)
            .map(({ end: _open, ...entry }) => entry)
        ),
      openIn: (network, blockHash) =>
        Effect.sync(() =>
          all()
            .filter((entry) => entry.network === network && entry.block.hash === blockHash && isOpen(entry))
            .map(({ end: _open, ...entry }) => entry)
        ),
      passedWhole: (network, number) =>
        Effect.sync(() =>
          all()
            .filter((entry) => entry.network === network && entry.block.number >= number && entry.txHash === null)
            .filter((entry) => isOpen(entry) || entry.end?.outcome === "passed")
            .map(({ block }) => block)
            .toSorted((one, other) => one.number - other.number)
        ),
      end: ({ blockHash, network, txHash }, end) =>
        Effect.sync(() => {
          const ended = all().filter(
            (entry) =>
              entry.network === network &&
              entry.block.hash === blockHash &&
              (isOpen(entry) || (end.outcome === "read" && entry.txHash === null && entry.end?.outcome === "passed")) &&
              (txHash === "all" || (entry.txHash ?? "") === txHash)
          )
          for (const entry of ended) quarantine.set(keyOf(entry), { ...entry, end })
          return ended.length
        }),
      order: (order) => Effect.sync(() => void blockOrders.set(`${order.network}|${order.number}`, order)),
      orders: (network) =>
        Effect.sync(() =>
          [...blockOrders.values()]
            .filter((order) => order.network === network)
            .toSorted((one, other) => one.number - other.number)
        ),
      withdraw: ({ kind, network, number }) =>
        Effect.sync(
          () => blockOrders.get(`${network}|${number}`)?.kind === kind && blockOrders.delete(`${network}|${number}`)
        ),
      carriedOut: (fence, { at, kind, network, number }) =>
        Effect.andThen(
          checkFence(state, fence),
          Effect.sync(() => {
            const kept = blockOrders.get(`${network}|${number}`)
            if (kept?.kind === kind && kept.at === at) blockOrders.delete(`${network}|${number}`)
          })
        )
    })
  })
)
