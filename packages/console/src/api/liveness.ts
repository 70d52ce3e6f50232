import type { LiveTopic } from "@bursar/api/operator/LiveGroup"
import { type Query, useQueryClient } from "@tanstack/react-query"
import { useEffect, useSyncExternalStore } from "react"
import type { Topics } from "./gather.ts"
import { followLive, type Liveness } from "./live.ts"

let state: Liveness = "connecting"
const listeners = new Set<() => void>()

const set = (now: Liveness): void => {
  if (now === state) return
  state = now
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** How the page learns of what is new. */
export const useLiveness = (): Liveness => useSyncExternalStore(subscribe, () => state)

/** How often what is shown is read again though nothing said that it is new: seldom while the stream is there, in milliseconds. */
export const floorMs = (): number => (state === "live" ? 60_000 : 10_000)

/** What is committed for tenants, and what operators decide. */
const books = ["operations", "deposits", "service", "actions"] as const

/** What depends on some topics alone, by the first part of its key; everything else is read again whatever has changed. */
const dependsOn: Readonly<Record<string, ReadonlyArray<LiveTopic>>> = {
  networks: ["networks", "service", "actions"],
  reconciliation: ["service", "actions"],
  tenants: ["actions"],
  approvers: ["service", "actions"],
  audit: ["actions"],
  // read of each tenant
  grants: ["service", "actions"],
  waiting: books,
  suspense: books,
  float: books,
  wallets: books
}

/** What is read again at leisure: sums over many rows, and lists that somebody is reading. */
const atLeisure: ReadonlySet<unknown> = new Set(["session", "series", "pages"])

const isStale =
  (topics: Topics) =>
  ({ queryKey: [first] }: Query): boolean => {
    if (atLeisure.has(first)) return false
    const needs = dependsOn[String(first)]
    return topics === "all" || needs === undefined || needs.some((topic) => topics.has(topic))
  }

const news = new Set<() => void>()

/** Calls back whenever something has happened to operations or deposits: for lists that are not read again by themselves. */
export const onNews = (listener: () => void): (() => void) => {
  news.add(listener)
  return () => news.delete(listener)
}

/** Reads again what has changed, as long as somebody is signed in. */
export const useLive = (): void => {
  const queries = useQueryClient()
  useEffect(
    () =>
      followLive({
        changed: (topics, heard) => {
          if (topics === "all" || topics.has("operations") || topics.has("deposits")) for (const tell of news) tell()
          const leave = queries.getQueryCache().subscribe((event) => {
            if (event.type === "updated" && event.action.type === "success") heard()
          })
          return queries.invalidateQueries({ predicate: isStale(topics) }).finally(leave)
        },
        liveness: set,
        signedOut: () => void queries.invalidateQueries({ queryKey: ["session"] })
      }),
    [queries]
  )
}
