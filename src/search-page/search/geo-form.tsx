/** A place and a radius around it: hits within, nearest first. */
import { useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import type { GeoCircle } from './search-state.ts';

interface GeoFormProps {
  readonly geo: GeoCircle | null;
  readonly onChange: (geo: GeoCircle | null) => void;
}

const EARTH_CIRCUMFERENCE_KM = 40_075;

interface GeoTexts {
  readonly lat: string;
  readonly lng: string;
  readonly km: string;
}

const textsOf = (geo: GeoCircle | null): GeoTexts => ({
  lat: geo === null ? '' : String(geo.lat),
  lng: geo === null ? '' : String(geo.lng),
  km: geo === null || geo.radiusMeters === null ? '' : String(geo.radiusMeters / 1000),
});

const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text));

/** null until latitude and longitude are filled in. */
const circleOf = ({ lat, lng, km }: GeoTexts): GeoCircle | null =>
  isNumber(lat) && isNumber(lng)
    ? { lat: Number(lat), lng: Number(lng), radiusMeters: isNumber(km) ? Number(km) * 1000 : null }
    : null;

export function GeoForm({ geo, onChange }: GeoFormProps) {
  const [texts, setTexts] = useState(() => textsOf(geo));
  const [note, setNote] = useState('');
  // A hit's place is chosen outside of this form.
  const shown = geo !== null && JSON.stringify(circleOf(texts)) !== JSON.stringify(geo);
  const current = shown ? textsOf(geo) : texts;
  const set = (next: Partial<GeoTexts>) => {
    const all = { ...current, ...next };
    setTexts(all);
    onChange(circleOf(all));
  };
  const locate = () =>
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        setNote('');
        set({ lat: coords.latitude.toFixed(5), lng: coords.longitude.toFixed(5) });
      },
      ({ message }) => setNote(`The browser does not give its location. ${message}`),
    );
  const number = (name: keyof GeoTexts, label: string, min: number, max: number) => (
    <label class="text">
      <span>{label}</span>
      <input
        type="number"
        step="any"
        min={min}
        max={max}
        value={current[name]}
        placeholder={name === 'km' ? 'any' : undefined}
        onInput={(event) => set({ [name]: event.currentTarget.value })}
      />
    </label>
  );
  return (
    <fieldset class="geo row">
      <legend>Near a place</legend>
      {number('lat', 'Latitude', -90, 90)}
      {number('lng', 'Longitude', -180, 180)}
      {number('km', 'Kilometres', 0, EARTH_CIRCUMFERENCE_KM)}
      {'geolocation' in navigator && (
        <Button text="Use my location" class="ghost" onClick={locate} />
      )}
      {note !== '' && (
        <p class="about" role="status">
          {note}
        </p>
      )}
    </fieldset>
  );
}
