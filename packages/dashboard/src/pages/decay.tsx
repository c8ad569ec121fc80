export default function DecayPage() {
  return <p>To come.</p>
}
