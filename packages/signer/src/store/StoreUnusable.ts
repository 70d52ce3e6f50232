import { Schema } from "effect"

/** The signer's store cannot be relied on, so nothing is signed. Says what to do. */
export class StoreUnusable extends Schema.TaggedError<StoreUnusable>()("StoreUnusable", {
  reason: Schema.String
}) {
  override get message(): string {
    return `Nothing is signed: ${this.reason}`
  }
}
