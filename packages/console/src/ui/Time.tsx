const local = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" })

/** A moment in the person's own time, with UTC where it is pointed at. */
export const Time = ({ at }: { readonly at: string | null }) =>
  at === null ? (
    <span className="muted">–</span>
  ) : (
    <time dateTime={at} title={`${at} (UTC)`}>
      {local.format(new Date(at))}
    </time>
  )
