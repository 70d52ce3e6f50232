import { defineFact, defineNewest, defineRecord } from "@bursar/core/engine/Records"
import type { Timestamp } from "@bursar/core/base/Timestamp"

/** A feature that nobody has written: a voucher that can be used once. Codes are unique among all tenants. */
export interface Voucher {
  readonly code: string
  readonly book: string
  readonly cents: bigint
  readonly usedAt: Timestamp | null
}

/** Vouchers by their codes. Those of a book that are not used are a group. */
export const Voucher = defineRecord<Voucher>({
  name: "Voucher",
  key: ({ code }) => code,
  group: ({ book, usedAt }) => (usedAt === null ? book : null),
  traits: { unique: true }
})

/** What tells a use of a voucher from others. */
export interface UseKey {
  readonly code: string
  readonly turn: number
}

/** That a voucher was used. */
export interface VoucherUse extends UseKey {
  readonly forgetAt: Timestamp
}

/** Uses by voucher and turn: each is noted once, until it may be forgotten. */
export const VoucherUse = defineRecord<VoucherUse, UseKey>({
  name: "VoucherUse",
  key: ({ code, turn }) => ({ code, turn }),
  text: ({ code, turn }) => `${code}|${turn}`,
  traits: { insertOnly: true, expiresAt: ({ forgetAt }) => forgetAt }
})

/** A kind that no adapter has a table for. */
export const Unmapped = defineRecord<{ readonly id: string }>({ name: "Unmapped", key: ({ id }) => id })

/** A kind that has the name of what limits have counted. */
export const OwnUsage = defineRecord<{ readonly scope: string }>({ name: "Usage", key: ({ scope }) => scope })

/** The newest voucher of a book: nothing that an adapter knows how to find. */
export const NewestVoucher = defineNewest<Voucher>({
  name: "NewestVoucher",
  of: Voucher,
  group: ({ book }) => book,
  order: ({ usedAt }) => usedAt ?? 0
})

/** A fact that no adapter knows how to find. */
export const booksOpen = defineFact<boolean>({ name: "booksOpen", none: false })

/** That a book is closed. */
export interface ClosedBook {
  readonly book: string
}

/** Closed books: all that there is of one is in its key. */
export const ClosedBook = defineRecord<ClosedBook>({ name: "ClosedBook", key: ({ book }) => book })
