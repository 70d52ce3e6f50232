import type { Signer } from "@bursar/api/signature/signRequest"

/** The kinds of operation that partners ask for. */
export const askedKinds = [
  "CHAIN_PAYOUT",
  "WITHDRAWAL",
  "SWAP",
  "ON_RAMP",
  "OFF_RAMP",
  "BANK_TRANSFER",
  "REFUND",
  "INTERNAL_TRANSFER"
] as const

/** A kind of operation that partners ask for. */
export type AskedKind = (typeof askedKinds)[number]

/** A price as a partner was told it, in words of the model. */
export interface Quoted {
  readonly id: string
  readonly product: AskedKind
  readonly currency: string
  readonly units: bigint
  readonly fee: bigint
  readonly toCurrency: string
  readonly received: bigint
  readonly floor: bigint
  /** As it was told. */
  readonly rate: string
  /** When the rate was seen, as it was told; null where nothing is converted. */
  readonly rateAt: number | null
  /** As it was told. */
  readonly expiresAt: number
  /** When the answer came, by the true time. */
  readonly toldAt: number
}

/** A request as a partner meant it: what it asks for, in words of the model. */
export interface Meant {
  readonly kind: AskedKind
  readonly currency: string
  readonly units: bigint
  /** Whom it pays: an address, an IBAN, a customer's account, or the transfer that is paid back. Null where nobody is named. */
  readonly to: string | null
  /** What is received, where that is another currency. */
  readonly toCurrency: string | null
  readonly quote: Quoted | null
  /** In whose name; null for the partner's own. */
  readonly customer: string | null
}

/** An answer to a request, as it came. */
export interface Answered {
  readonly status: number
  readonly code: string | null
  readonly id: string | null
  readonly body: string
  /** Whether it was asked for when another had already said that the request was taken. */
  readonly isAfterTaken: boolean
}

/** One body that was sent under a key, and all answers to it. */
export interface Variant {
  readonly meant: Meant
  readonly body: string
  readonly answers: Array<Answered>
  /** When it was sent for the first time, by the true time; null before that. */
  sentAt: number | null
  /** When an answer said for the first time that it was taken. */
  takenAt: number | null
}

/** All that was sent under one idempotency key. */
export interface Asked {
  readonly tenant: number
  readonly key: string
  /** None while the partner is asking for a price first. */
  readonly variants: Array<Variant>
  /** The partner has an answer that says for good what became of it. */
  settled: boolean
}

/** A webhook as a receiver took it in. */
export interface Received {
  readonly eventId: number
  readonly body: string
  readonly at: number
  readonly accepted: boolean
}

/** Something that people have stopped: a partner, or where it is null all that leaves on the network. */
export interface Stop {
  readonly tenant: number | null
  /** When it was stopped for sure, and when it was about to go on: null while it is stopped. */
  readonly from: number
  until: number | null
}

/** A key of a partner that counts no more. */
export interface Revocation {
  readonly tenant: number
  readonly keyid: string
  /** Whoever has stolen it signs with it still. */
  readonly signer: Signer
  readonly publicKey: string
  /** When it was revoked for sure. */
  readonly at: number
}

/** A waiting time of destinations that people have granted, or a thief in their name. */
export interface GrantedWait {
  readonly tenant: number
  /** Before it was granted. */
  readonly at: number
  readonly hours: number
}

/** A destination of a partner that people have granted, or a thief in their name. */
export interface GrantedAddress {
  readonly tenant: number
  /** Before it was granted. */
  readonly at: number
  readonly currency: string
  readonly address: string
  /** From when on it receives, as its document says. */
  readonly usableFrom: number
}

/** All that is known of a world without asking the service: what judges go by. */
export interface Records {
  readonly asked: Array<Asked>
  readonly received: ReadonlyArray<Array<Received>>
  /** The events that were begun to be sent to each partner, in that order. */
  readonly begun: ReadonlyArray<Array<number>>
  /** The transactions of deposits that were confirmed before they were deep enough. */
  readonly early: Array<string>
  /** What was committed by a process after another had taken over. */
  readonly deposed: Array<string>
  /** The defects that processes logged while they lived. */
  readonly defects: Set<string>
  /** The operations that operators approved. */
  readonly approved: Set<string>
  /** The prices that partners were told. */
  readonly quotes: Array<Quoted>
  /** When a signer's store was begun anew because an earlier one was lost. */
  readonly recovered: Array<number>
  /** Why a signer did not start, though its disk had kept all that was synced. */
  readonly unopened: Array<string>
  /** What somebody had signed who has no right to it. */
  readonly stolen: Array<string>
  /** What somebody had signed who asked, by a stolen key that counts, while all was stopped, and was answered after that: as the partner might have. */
  readonly excused: Array<string>
  /** What people have stopped, and for how long. */
  readonly stops: Array<Stop>
  /** The keys of partners that were revoked. */
  readonly revoked: Array<Revocation>
  /** Where partners withdraw to, and how long destinations cool, in the order in which it was granted. */
  readonly destined: Array<GrantedAddress | GrantedWait>
  /** Whether a signer's store counts from when on it has seen grants: what stood there before is as old as it says. */
  watchesGrants: boolean
  /** The addresses at which partners were told that they may be paid. */
  readonly watched: Array<string>
  /** The transactions by which partners moved what stood on addresses whose keys they held, by their hashes. */
  readonly movedByPartners: Set<string>
  /** The most by which any clock was ever off, in milliseconds. */
  skewMs: number
}

/** The records of a world with so many partners in which nothing has happened yet. */
export const noRecords = (tenants: number): Records => ({
  asked: [],
  received: Array.from({ length: tenants }, () => []),
  begun: Array.from({ length: tenants }, () => []),
  early: [],
  deposed: [],
  defects: new Set(),
  approved: new Set(),
  quotes: [],
  recovered: [],
  unopened: [],
  stolen: [],
  excused: [],
  stops: [],
  revoked: [],
  destined: [],
  watchesGrants: false,
  watched: [],
  movedByPartners: new Set(),
  skewMs: 0
})

/** The id of the operation that a request became; undefined where no answer named one. */
export const idOf = ({ variants }: Asked): string | undefined =>
  variants.flatMap(({ answers }) => answers).find(({ id, status }) => status < 300 && id !== null)?.id ?? undefined
