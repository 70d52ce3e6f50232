import type { OperationKind } from "../operation/Operation.ts"

/** The kinds of transfer that a provider carries out. */
export const providedKinds = ["ON_RAMP", "OFF_RAMP", "BANK_TRANSFER", "REFUND"] as const

/** A kind of transfer that a provider carries out. */
export type ProvidedKind = (typeof providedKinds)[number]

/** All kinds of fiat transfer. */
export const transferKinds = [...providedKinds, "INTERNAL_TRANSFER"] as const

/** A kind of fiat transfer. */
export type TransferKind = (typeof transferKinds)[number]

/** Whether an operation is a fiat transfer. */
export const isTransfer = (kind: OperationKind): kind is TransferKind => transferKinds.some((one) => one === kind)

/** Whether a provider carries it out. */
export const isProvided = (kind: OperationKind): kind is ProvidedKind => providedKinds.some((one) => one === kind)

/** The queue in which transfers wait for the fiat provider. The key is the operation's id. */
export const transferQueue = "transfer"
