import { Schema } from "effect"

/**
 * Whom an operation pays, in the fields by which operators are told so wherever they meet it: whoever lets it go must see the same as whoever
 * lists what waits.
 */
export const receiverFields = {
  receiver: Schema.NullOr(Schema.String).annotate({
    description:
      "The address on the chain, or the account at the bank. Null for what leaves to nobody, such as a deposit or a swap."
  }),
  receiver_name: Schema.NullOr(Schema.String).annotate({
    description: "The holder of the account, as the tenant named it. Nobody has checked it."
  }),
  receiver_bank: Schema.NullOr(Schema.String).annotate({
    description: "What names the bank of the account: its sort code, its routing number or its BIC."
  }),
  memo: Schema.NullOr(Schema.String).annotate({
    description:
      "The memo or tag beside the address, by which many receivers share one. As a request would name it: a text, unless a type is in front, as in `id:42`."
  }),
  new_receiver: Schema.Boolean.annotate({
    description:
      "Whether the receiver was never paid before, or was first paid less than 24 hours earlier. Always `false` for a withdrawal: its destination was verified by operators."
  })
}
