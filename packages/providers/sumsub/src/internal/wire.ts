import { Schema } from "effect"

/** The part of a review that tells where it stands. */
export const Review = Schema.Struct({
  reviewStatus: Schema.NonEmptyString,
  levelName: Schema.optionalKey(Schema.NullOr(Schema.String)),
  reviewDate: Schema.optionalKey(Schema.NullOr(Schema.String)),
  reviewResult: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        reviewAnswer: Schema.optionalKey(Schema.NullOr(Schema.String)),
        reviewRejectType: Schema.optionalKey(Schema.NullOr(Schema.String))
      })
    )
  )
})
/** The part of a review that tells where it stands. */
export type Review = typeof Review.Type

/** `GET /resources/applicants/{id}/one`: of the applicant's data, all that is read. */
export const Profile = Schema.Struct({
  id: Schema.NonEmptyString,
  /** Whether the profile was made inactive. The answer of `…/status` does not tell it. */
  deleted: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  review: Schema.optionalKey(Schema.NullOr(Review))
})

/** An applicant that exists. */
export const Applicant = Schema.Struct({
  id: Schema.NonEmptyString,
  /** Our customer's id. */
  externalUserId: Schema.optionalKey(Schema.NullOr(Schema.String))
})

/** An applicant that exists. */
export type Applicant = typeof Applicant.Type

/** `GET /resources/applicants/-/byExternalUserId/{id}`: whether an applicant exists, and which. */
export const Lookup = Schema.Union([
  Schema.Struct({ exists: Schema.Literal(false) }),
  Schema.Struct({ applicant: Applicant }),
  Applicant
])

/** Where the person submits documents. */
export const Link = Schema.Struct({ url: Schema.String.check(Schema.isPattern(/^https?:\/\//u)) })

/** What a webhook is about. */
export const Webhook = Schema.Struct({
  applicantId: Schema.NonEmptyString
})
