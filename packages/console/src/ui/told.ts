import { useSyncExternalStore } from "react"

let said: unknown = null
const listeners = new Set<() => void>()

/** Keeps what an action was refused with when the part of the page that asked for it has gone; null forgets it. */
export const tell = (error: unknown): void => {
  said = error
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** What was last refused and is shown nowhere else; null where there is nothing. */
export const useTold = (): unknown => useSyncExternalStore(subscribe, () => said)
