export default function TimePage() {
  return <p>To come.</p>
}
