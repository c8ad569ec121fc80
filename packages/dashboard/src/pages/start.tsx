export default function StartPage() {
  return <p>To come.</p>
}
