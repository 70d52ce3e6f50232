import { type ReactNode, useSyncExternalStore } from "react"

/** A dialog that a person has opened. */
interface Opening {
  readonly id: string
  readonly dialog: ReactNode
}

let openings: ReadonlyArray<Opening> = []
const listeners = new Set<() => void>()

const become = (next: ReadonlyArray<Opening>): void => {
  openings = next
  for (const listener of listeners) listener()
}

/** Whether a dialog is open. */
export const isOpen = (id: string): boolean => openings.some((one) => one.id === id)

/** Shows a dialog above the page, or draws it anew. It stays whatever becomes of the part of the page that opened it. */
export const show = (id: string, dialog: ReactNode): void =>
  become(isOpen(id) ? openings.map((one) => (one.id === id ? { id, dialog } : one)) : [...openings, { id, dialog }])

/** Takes a dialog away. */
export const hide = (id: string): void => become(openings.filter((one) => one.id !== id))

/** Takes all dialogs away: who opened them has gone. */
export const hideAll = (): void => become([])

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** All dialogs that are open, in the order in which they were opened. */
export const useOpenings = (): ReadonlyArray<Opening> => useSyncExternalStore(subscribe, () => openings)
