import { Schema } from "effect"

/** The signer's store cannot be relied on, so nothing is signed. Says what to do. */
export class StoreUnusable extends Schema.TaggedError<StoreUnusable>()("StoreUnusable", {
  reason: Schema.String
}) {
  override get message(): string {
    return `Nothing is signed: ${this.reason}`
  }
}

/** The store cannot be opened while nothing is known of the database. */
export const silentDatabase = new StoreUnusable({
  reason: "the database does not answer, so the store cannot be compared with it."
})
