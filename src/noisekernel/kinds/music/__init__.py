"""Music: several voices on a grid of time steps, from MIDI, MusicXML and chorales in JSON."""
