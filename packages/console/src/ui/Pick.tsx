/** A choice of one among a few, which counts at once. */
export const Pick = ({
  choose,
  label,
  of,
  titleOf = (one) => one,
  value
}: {
  readonly label: string
  readonly value: string
  readonly of: ReadonlyArray<string>
  readonly titleOf?: (one: string) => string
  readonly choose: (one: string) => void
}) => (
  <label className="pick">
    {label}
    <select value={value} onChange={(event) => choose(event.currentTarget.value)}>
      {of.map((one) => (
        <option key={one} value={one}>
          {titleOf(one)}
        </option>
      ))}
    </select>
  </label>
)
