import { useSyncExternalStore } from "react"

/** Filters under a name that somebody has given them, as they stand in the address. */
export interface View {
  readonly name: string
  readonly search: string
}

/** Where a browser keeps them: names and filters, nothing that lets anybody in. */
const place = "bursar.views"

/** How many views are kept. */
const viewsMax = 50

const isView = (one: unknown): one is View =>
  typeof one === "object" &&
  one !== null &&
  "name" in one &&
  typeof one.name === "string" &&
  "search" in one &&
  typeof one.search === "string"

const parse = (text: string | null): ReadonlyArray<View> => {
  try {
    const kept: unknown = JSON.parse(text ?? "[]")
    return Array.isArray(kept) ? kept.filter(isView).slice(0, viewsMax) : []
  } catch {
    return []
  }
}

let read: { readonly text: string | null; readonly views: ReadonlyArray<View> } = { text: null, views: [] }
const listeners = new Set<() => void>()

const current = (): ReadonlyArray<View> => {
  const text = localStorage.getItem(place)
  // the same list as long as nothing has changed, or the page would be drawn for ever
  if (text !== read.text) read = { text, views: parse(text) }
  return read.views
}

const write = (views: ReadonlyArray<View>): void => {
  localStorage.setItem(place, JSON.stringify(views.slice(0, viewsMax)))
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  addEventListener("storage", listener)
  return () => {
    listeners.delete(listener)
    removeEventListener("storage", listener)
  }
}

/** The views that this browser keeps. */
export const useViews = (): ReadonlyArray<View> => useSyncExternalStore(subscribe, current)

/** Keeps a view; one of the same name is replaced. */
export const keepView = (view: View): void => write([...current().filter(({ name }) => name !== view.name), view])

/** Forgets a view. */
export const forgetView = (name: string): void => write(current().filter((one) => one.name !== name))
