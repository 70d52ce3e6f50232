/** A request as a partner meant it: what it asks for, in words of the model. */
export interface Meant {
  readonly kind: "CHAIN_PAYOUT" | "WITHDRAWAL" | "SWAP"
  readonly currency: string
  readonly units: bigint
  /** The receiver of a payout. */
  readonly to: string | null
  /** What a swap is to bring. */
  readonly toCurrency: string | null
}

/** An answer to a request, as it came. */
export interface Answered {
  readonly status: number
  readonly code: string | null
  readonly id: string | null
  readonly body: string
}

/** One body that was sent under a key, and all answers to it. */
export interface Variant {
  readonly meant: Meant
  readonly body: string
  readonly answers: Array<Answered>
}

/** All that was sent under one idempotency key. */
export interface Asked {
  readonly tenant: number
  readonly key: string
  readonly path: string
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
  /** The operations that operators approved. */
  readonly approved: Set<string>
}
