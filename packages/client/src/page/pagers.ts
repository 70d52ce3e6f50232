import type { Deposit, DepositPage } from "@bursar/api/wire/Deposit"
import type { DepositAddress, DepositAddressPage } from "@bursar/api/wire/DepositAddress"
import type { Event, EventPage } from "@bursar/api/wire/Event"
import type { RegisterEntry, RegisterPage } from "@bursar/api/wire/Register"

/** How the pages of a list are turned. */
export interface Pager<Page, Item, Position> {
  readonly items: (page: Page) => ReadonlyArray<Item>
  /** What to add to the query for the next page; undefined after the last. */
  readonly next: (page: Page) => Position | undefined
}

const depositAddresses: Pager<DepositAddressPage, DepositAddress, { readonly after: string }> = {
  items: ({ addresses }) => addresses,
  next: ({ next_after }) => (next_after === null ? undefined : { after: next_after })
}

const deposits: Pager<DepositPage, Deposit, { readonly after: number }> = {
  items: (page) => page.deposits,
  next: (page) => (page.deposits.length === 0 ? undefined : { after: page.next_after })
}

const events: Pager<EventPage, Event, { readonly after: number }> = {
  items: (page) => page.events,
  next: ({ next_after }) => (next_after === null ? undefined : { after: next_after })
}

const register: Pager<RegisterPage, RegisterEntry, { readonly cursor: string }> = {
  items: ({ entries }) => entries,
  next: ({ next_cursor }) => (next_cursor === null ? undefined : { cursor: next_cursor })
}

/** The lists of the contract that have pages, by group. The others answer all they have, up to their `limit`. */
export const pagers = { depositAddresses, deposits, events, register } as const
