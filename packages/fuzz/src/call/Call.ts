import type { Operation } from "../contract/Contract.ts"
import type { Draft } from "../generate/Draft.ts"
import type { Known } from "../generate/Known.ts"

/** A call, ready to be sent. */
export interface Call {
  readonly index: number
  readonly operation: Operation
  /** Who calls. */
  readonly caller: string
  /** What the answer is learned into. */
  readonly known: Known
  /** What is broken of it; empty where nothing is. */
  readonly what: string
  /** Whether it asks for a record of another tenant by its path. */
  readonly stranger: boolean
  readonly draft: Draft
  readonly bytes: Uint8Array
  /** The address that it comes from. */
  readonly from: string
  /** The text that no other call has, which what it makes is found by. */
  readonly unique: string
}
